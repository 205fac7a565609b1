import type { Option, OptionSource } from "../systems/define.ts";
import { StepFailed } from "../systems/work.ts";
import type { Gathered, StepCall, StepPorts } from "./ports.ts";
import { sendAsked } from "./send-asked.ts";

/** The values of a drop-down, read through the same pipeline as a step, policy included. They are reads, and make no run. */
export async function readOptions(
  source: OptionSource,
  asked: Parameters<OptionSource["work"]>[0],
  call: StepCall,
  ports: Omit<StepPorts, "journal">,
): Promise<{ options: Option[]; next: string | null }> {
  const gathered: Gathered = { attempts: [], written: [] };
  const readsOnly = {
    intend: () => {
      throw new Error("A drop-down reads, and writes nothing.");
    },
  };
  const work = source.work(asked);
  let next = work.next();
  while (!next.done) {
    if ("pauseSeconds" in next.value) throw new Error("A drop-down waits for nothing.");
    try {
      next = work.next(await sendAsked(next.value, call, { ...ports, journal: readsOnly }, gathered));
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      next = work.throw(error);
    }
  }
  return next.value;
}
