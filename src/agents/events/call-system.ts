import type { StepRunPorts } from "../../runs/single-step/single-step.ts";
import type { Gathered } from "../../steps/ports.ts";
import { sendRequest } from "../../steps/send-with-retries.ts";
import { stepCall } from "../../steps/step-call.ts";
import type { Step } from "../../systems/define.ts";
import { asFailure, drive, requireRequest } from "../../systems/drive.ts";
import type { Work } from "../../systems/work.ts";
import type { Connection } from "../../vault/vault.ts";

export type PlatformPorts = Omit<StepRunPorts, "begin" | "hold" | "store">;

const waitSeconds = 30;

/**
 * Calls a system outside of any run. The call passes policy, limits and tokens like every other call. It may be
 * repeated after a crash, so it has no journal.
 */
export function askPlatform<T>(
  work: Work<T>,
  step: Step,
  connection: Connection,
  callerId: string,
  ports: PlatformPorts,
): Promise<T> {
  const call = stepCall(
    {
      step,
      input: {},
      connection,
      runId: "webhook",
      callerId,
      // No other node takes it over: a caller that repeats the call first reads what exists.
      fence: { isHeld: () => true },
    },
    { now: ports.now(), waitSeconds, staySeconds: waitSeconds },
  );
  const gathered: Gathered = { attempts: [], written: [] };
  const journal = { intend: async () => {} };
  return drive(work, (asked) =>
    sendRequest(requireRequest(asked), call, { ...ports, journal }, gathered).catch(asFailure),
  );
}
