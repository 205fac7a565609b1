import type { Option, OptionSource } from "../systems/define.ts";
import { asFailure, drive, requireRequest } from "../systems/drive.ts";
import { type Gathered, readsOnly, type StepCall, type StepPorts } from "./ports.ts";
import { sendAsked } from "./send-asked.ts";

/** The values of a drop-down, read through the same pipeline as a step, policy included. They are reads, and make no run. */
export function readOptions(
  source: OptionSource,
  asked: Parameters<OptionSource["work"]>[0],
  call: StepCall,
  ports: Omit<StepPorts, "journal">,
): Promise<{ options: Option[]; next: string | null }> {
  const gathered: Gathered = { attempts: [], written: [] };
  return drive(source.work(asked), (each) =>
    sendAsked(requireRequest(each), call, { ...ports, journal: readsOnly }, gathered).catch(asFailure),
  );
}
