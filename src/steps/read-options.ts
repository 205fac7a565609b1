import type { Option, OptionSource } from "../systems/define.ts";
import { asFailure, drive, requireRequest } from "../systems/drive.ts";
import { type Gathered, readsOnly, type StepCall, type StepPorts } from "./ports.ts";
import { sendRequest } from "./send-request.ts";

/** Reads the values of a drop-down through the pipeline of a step, policy included. They make no run. */
export function readOptions(
  source: OptionSource,
  wanted: Parameters<OptionSource["work"]>[0],
  call: StepCall,
  ports: Omit<StepPorts, "journal">,
): Promise<{ options: Option[]; next: string | null }> {
  const gathered: Gathered = { attempts: [], written: [] };
  return drive(source.work({ ...wanted, identity: call.connection.identity }), (each) =>
    sendRequest(requireRequest(each), call, { ...ports, journal: readsOnly }, gathered).catch(asFailure),
  );
}
