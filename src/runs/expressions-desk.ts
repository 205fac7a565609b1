import { type ChildProcess, fork } from "node:child_process";

/** What an expression can see: nothing else is handed to the process that evaluates it. */
export interface Values {
  params: unknown;
  steps: Record<string, { output: unknown; status: string; problem?: unknown }>;
  foreach?: { item: unknown; index: number };
  event?: unknown;
}

export const expressionLimits = {
  /** Of work, not of waiting. */
  milliseconds: 250,
  depth: 300,
  items: 100_000,
  characters: 4 * 1024 * 1024,
  /** Whatever holds the process up for so long is ended with it. */
  wallMilliseconds: 1_000,
};

const memoryMegabytes = 128;

export type FailureReason = "failed" | "too long" | "too deep" | "too big";

export interface Asked {
  expression: string;
  values: Partial<Values>;
  limits: typeof expressionLimits;
}

export type Answered =
  | { kind: "nothing" }
  | { kind: "value"; json: string }
  | { kind: "failed"; reason: FailureReason; detail?: string };

export type Told = Answered | { kind: "ready" };

interface Job {
  asked: Asked;
  answer(told: Answered): void;
}

interface Child {
  process: ChildProcess;
  isReady: boolean;
}

/** So many are on their way at once: it works on one of them, and need not wait for the next. */
const underwayMax = 16;

const waiting: Job[] = [];
/** In the order in which they are worked on and answered. */
let underway: Job[] = [];
let child: Child | null = null;

/** Evaluates in the other process. Values are copied on their way there, so nothing of ours can be touched. */
export const evaluate = (expression: string, values: Partial<Values>): Promise<Answered> =>
  new Promise((answer) => {
    waiting.push({ asked: { expression, values, limits: expressionLimits }, answer });
    next();
  });

function next(): void {
  if (waiting.length === 0 || underway.length >= underwayMax) return;
  child ??= startChild();
  keepAlive(child, true);
  if (!child.isReady) return;
  for (const job of waiting.splice(0, underwayMax - underway.length)) {
    underway.push(job);
    child.process.send(job.asked);
  }
}

/** It is started with the first expression that needs it, and keeps nothing running that has nothing to ask. */
function startChild(): Child {
  const started: Child = {
    process: fork(new URL("./expressions-child.ts", import.meta.url), {
      execArgv: [`--max-old-space-size=${memoryMegabytes}`, "--disable-proto=delete"],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    }),
    isReady: false,
  };
  started.process.on("message", (told: Told) => {
    if (told.kind !== "ready") return settle(told);
    started.isReady = true;
    next();
  });
  started.process.once("exit", (_, signal) => onEnd(started, signal));
  started.process.on("error", (error) => giveUp(started, error.message));
  return started;
}

function settle(answered: Answered): void {
  const job = underway.shift();
  if (child && underway.length + waiting.length === 0) keepAlive(child, false);
  job?.answer(answered);
  next();
}

function keepAlive({ process }: Child, wanted: boolean): void {
  for (const each of [process, process.channel]) {
    if (wanted) each?.ref();
    else each?.unref();
  }
}

/**
 * It ends itself where an expression takes too long; otherwise it was the memory. The first that is not answered was the
 * one, and the others get another process.
 */
function onEnd(ended: Child, signal: NodeJS.Signals | null): void {
  if (child !== ended) return;
  if (!ended.isReady) {
    giveUp(ended, "their process ended before it had begun");
    return;
  }
  child = null;
  waiting.unshift(...underway.splice(1));
  settle({ kind: "failed", reason: signal === "SIGKILL" ? "too long" : "too big" });
}

// One that cannot even start would be started for ever.
function giveUp(ended: Child, why: string): void {
  if (child !== ended) return;
  child = null;
  const detail = `Expressions cannot be evaluated on this machine: ${why}.`;
  const jobs = [...underway, ...waiting.splice(0)];
  underway = [];
  for (const job of jobs) job.answer({ kind: "failed", reason: "failed", detail });
}
