import type { AccessLoss } from "../access/callers/still-allowed.ts";
import type { ElapsedTime } from "../kernel/elapsed-time.ts";
import type { Work } from "../kernel/loop-watch.ts";
import type { RegionMeter } from "../kernel/meter.ts";
import type { Limits } from "../limits/limits.ts";
import type { Step } from "../systems/define.ts";
import type { Answer, Done, StepContext, StepRequest } from "../systems/work.ts";
import type { AnswerMemory, Outbound } from "../transport/outbound.ts";
import type { AnswerTime } from "../untrusted/answer-time-budgets.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import type { Fence } from "./fence.ts";

/** One step to run. Everything is checked already except policy and limits. */
export interface StepCall {
  step: Step;
  input: unknown;
  /** As it was last read; after a wait it is read again. */
  connection: Connection;
  /** Why the owner may no longer act, or null; checked after a wait. */
  findAccessLoss?: () => Promise<AccessLoss | null>;
  context: StepContext;
  /** Without a fence no write is sent. */
  fence?: Fence;
  runId: string;
  /** Where large answers are counted until the step ends. */
  memory?: AnswerMemory;
  /** Calls that wait for a limit take turns by caller. */
  callerId: string;
  /** How long it may wait for a limit. */
  waitUntil: Date;
  /** A run that is refused tries again when the limit has room: until then it keeps its turn. */
  willRetry?: true;
  /** How long it may wait for slow work, such as a build. */
  stayUntil: Date;
  /**
   * Probes whether a write happened whose answer was lost, before an idempotent write is repeated: "nothing that the
   * system has applied is sent again where a look can tell".
   */
  probe?: (sent: SentTimes) => Promise<{ found: Done<unknown> | "did not" | "cannot tell"; attempts: Attempt[] }>;
  /** The call is itself a probe, and sends no write. */
  isProbe?: true;
  /** Answers to writes that an earlier attempt has sent: the step gets them again, and the writes are not repeated. */
  written?: readonly Answer[];
}

/** When a write was sent: it may have been repeated, and any of its tries may be the one that happened. */
export interface SentTimes {
  first: Date;
  last: Date;
}

/** For the watch of the event loop. */
export const workOf = ({ step, connection, runId, isProbe }: StepCall): Work => ({
  operation: isProbe ? "reconcile" : "step",
  organizationId: connection.organizationId,
  projectId: connection.projectId,
  runId,
  stepId: step.id,
});

/** What a system reported about one of its limits. */
export interface LimitSeen {
  name: string;
  left: number;
  /** What the call used of it, if the system says so. */
  used?: number;
  max?: number;
  resets_at?: string;
}

/** The record of one request that was sent, or would have been; it holds no secrets. */
export interface Attempt {
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  effect: StepRequest["effect"];
  sent_at: string;
  waited_ms: number;
  ms?: number;
  response?: { status: number; headers: Record<string, string>; body?: unknown };
  problem?: { code: string; detail: string };
  /** What our own limits counted it as, limit by limit: 1 for a call, an estimate for tokens. */
  counted?: Record<string, number>;
  /** What the system reported about its limits with the answer. */
  limits?: LimitSeen[];
}

/** What the execution of one step collects. */
export interface Gathered {
  attempts: Attempt[];
  /** Answers to writes, in the order in which they were sent. */
  written: Answer[];
  /** Become warnings of the step. */
  notes?: string[];
  /** A warning about a quota of which little is left. */
  near?: string;
  /** When connection and owner were last read, by `performance.now()`. */
  checkedAt?: number;
}

/** Where a run records what it does. */
export interface Journal {
  /** A write is about to be sent. Once this resolves, the intent survives any crash. */
  intend(attempts: readonly Attempt[]): Promise<void>;
  /** A write was answered, and the step continues after it. */
  progress?(written: readonly Answer[], attempts: readonly Attempt[]): Promise<void>;
}

/** For work that only reads: a write is a bug. */
export const readsOnly: Journal = {
  intend: () => {
    throw new Error("Work that only reads was about to write.");
  },
};

/** What the pipeline needs. */
export interface StepPorts {
  vault: Vault;
  limits: Limits;
  outbound: Outbound;
  journal: Journal;
  now(): Date;
  /** The clock that measures leases, and how long a write was held up; by default the machine's own. */
  time?: ElapsedTime;
  sleep(milliseconds: number): Promise<void>;
  random(): number;
  /** How long a system may still work after an answer was lost; by default each system's own figure. */
  settleSeconds?: number;
  /** What large answers of an organization are charged to. While it is used up, no further step of it begins. */
  answerTime?: AnswerTime;
  meter?: RegionMeter;
}
