import type { StepRunPorts } from "../../runs/single-step.ts";
import type { Gathered, StepCall } from "../../steps/ports.ts";
import { sendAsked } from "../../steps/send-asked.ts";
import { deploymentApiCall } from "../../systems/deployment/deployment-api-call.ts";
import { StepFailed, type Work } from "../../systems/work.ts";
import type { Connection } from "../../vault/vault.ts";

export type PlatformPorts = Omit<StepRunPorts, "begin" | "hold" | "store">;

const waitMilliseconds = 30_000;

/**
 * Work at the platform that is no run of anybody's: it goes through policy, limits and token like every other call. It may
 * be asked for again after a crash, so nothing is journalled.
 */
export async function askPlatform<T>(
  work: Work<T>,
  connection: Connection,
  callerId: string,
  ports: PlatformPorts,
): Promise<T> {
  const now = ports.now();
  const until = new Date(now.getTime() + waitMilliseconds);
  const call: StepCall = {
    step: deploymentApiCall,
    input: {},
    connection,
    context: { intentId: "webhook", now, identity: connection.identity },
    runId: "webhook",
    callerId,
    waitUntil: until,
    stayUntil: until,
    // Nobody takes it over: whoever asks for it again looks first what is there.
    fence: { isHeld: () => true },
  };
  const gathered: Gathered = { attempts: [], written: [] };
  const journal = { intend: async () => {} };
  let next = work.next();
  while (!next.done) {
    if ("pauseSeconds" in next.value) throw new Error("Webhooks are made without waiting.");
    try {
      next = work.next(await sendAsked(next.value, call, { ...ports, journal }, gathered));
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      next = work.throw(error);
    }
  }
  return next.value;
}
