import { newId } from "../kernel/ids.ts";
import { queueRun } from "../runs/queue/start-run.ts";
import type { AgentRun } from "../runs/record/run-record.ts";
import { type Decider, noSuchStep, type ReplayWish, replayStart, unfit } from "../runs/replay.ts";
import type { Db } from "../store/db.ts";
import { redact } from "../transport/redact.ts";
import { agentWork, readPlan } from "./loop/plan.ts";

/** Runs the same agent again as a whole, in a new conversation with the same history. */
export function replayAgent(db: Db, run: AgentRun, wish: ReplayWish, decider: Decider): Promise<string> {
  if (wish.fromStep !== undefined) throw noSuchStep([], wish.fromStep);
  const plan = { ...readPlan(run.work.plan), conversationId: newId("conversation", wish.region) };
  return queueRun(db, replayStart(run, agentWork(plan), wish, decider));
}

const messageMax = 100_000;

/** The same params, or others, which must be a message or an event. */
export function agentParamsToReplay(run: AgentRun, wanted: Record<string, unknown> | undefined): unknown {
  if (wanted === undefined) return run.params;
  const [name, ...others] = Object.keys(wanted);
  const { message, event } = wanted;
  const isAlone = others.length === 0;
  if (isAlone && name === "message" && typeof message === "string" && message !== "" && message.length <= messageMax) {
    return { message: redact(message, []) };
  }
  if (isAlone && name === "event" && typeof event === "object" && event !== null) return { event: redact(event, []) };
  const detail = `An agent is started with {"message": "…"}, of at most ${messageMax} characters, or with {"event": {…}}.`;
  throw unfit([{ pointer: "#/params", code: "invalid_value", detail }]);
}
