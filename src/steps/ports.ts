import type { NoLonger } from "../access/callers/still-allowed.ts";
import type { Work } from "../kernel/loop-watch.ts";
import type { Limits } from "../limits/limits.ts";
import type { Step } from "../systems/define.ts";
import type { Answer, Done, StepContext, StepRequest } from "../systems/work.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import type { Fence } from "./fence.ts";

/** One step to run: everything about it is checked already, but what its policy and its limits say. */
export interface StepCall {
  step: Step;
  input: unknown;
  /** As it was looked at last: after a wait it is read again. */
  connection: Connection;
  /** Whether whoever acts may still do so: asked after a wait. */
  whyNoLonger?: () => Promise<NoLonger | null>;
  context: StepContext;
  /** Without one nothing is sent that would change anything. */
  fence?: Fence;
  runId: string;
  /** Whose turn it is when calls wait for a limit. */
  callerId: string;
  /** How long it may wait for a limit. */
  waitUntil: Date;
  /** How long it may stay with a thing that takes its time, such as a build. */
  stayUntil: Date;
  /**
   * Looks whether a write has happened whose answer was lost. Asked before one is repeated that does no harm twice: "nothing that
   * the system has applied is sent again where a look can tell".
   */
  look?: (askedAt: Date) => Promise<{ done: Done<unknown> | null; attempts: Attempt[] }>;
  /** Answers to writes that an earlier try has sent already: they are given again instead of being sent. */
  written?: readonly Answer[];
}

/** Whose work it is, for the watch of the event loop. */
export const workOf = ({ step, connection, runId }: StepCall): Work => ({
  operation: "step",
  organizationId: connection.organizationId,
  projectId: connection.projectId,
  runId,
  stepId: step.id,
});

/** What a system told about one of its limits. */
export interface LimitSeen {
  name: string;
  left: number;
  /** What the call has taken of it, where the system says so. */
  used?: number;
  max?: number;
  resets_at?: string;
}

/** What is kept of one request that was sent, or would have been: secrets are not in it. */
export interface Attempt {
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  effect: StepRequest["effect"];
  sent_at: string;
  waited_ms: number;
  ms?: number;
  response?: { status: number; headers: Record<string, string>; body?: unknown };
  problem?: { code: string; detail: string };
  /** What it was counted with in our own books, limit by limit: calls are 1 each, tokens were an estimate. */
  counted?: Record<string, number>;
  /** What the system told about its limits with the answer. */
  limits?: LimitSeen[];
}

/** What one run of a step gathers on its way. */
export interface Gathered {
  attempts: Attempt[];
  /** Answers to writes, in the order in which they were sent. */
  written: Answer[];
  /** What happened on the way and belongs among the warnings. */
  notes?: string[];
  /** When connection and owner were read last, by `performance.now()`. */
  lookedAt?: number;
}

/** Where a run keeps what it does. */
export interface Journal {
  /** A write is about to leave: once this resolves, the intent outlives any crash. */
  intend(attempts: readonly Attempt[]): Promise<void>;
  /** A write was answered, and the step goes on after it. */
  progress?(written: readonly Answer[], attempts: readonly Attempt[]): Promise<void>;
}

/** For work that only reads: a write is a mistake of ours. */
export const readsOnly: Journal = {
  intend: () => {
    throw new Error("Work that only reads was about to write.");
  },
};

/** What the pipeline works with. */
export interface StepPorts {
  vault: Vault;
  limits: Limits;
  outbound: Outbound;
  journal: Journal;
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  random(): number;
  /** How long any system may still be at work after an answer was lost; each system's own figure unless told. */
  settleSeconds?: number;
}
