import cluster, { type Worker } from "node:cluster";
import type { Log } from "../../kernel/log.ts";
import type { Region } from "../../kernel/regions.ts";
import type { SandboxUrls } from "../settings/read-setting-values.ts";
import { countersOf, joinMetrics } from "./join-metrics.ts";
import type { Answer, FromPrimary, Question, ToPrimary } from "./messages.ts";
import { primaryMetrics } from "./primary-metrics.ts";

/** The processes of one server, as the process that started them sees them. */
export interface Processes {
  /** Resolves when all are ready. Rejects with `ProcessFailed` if one of them cannot start. */
  whenReady: Promise<void>;
  /** Each finishes what it has accepted. Resolves to an exit code when the last one has ended. */
  stop(why: string): Promise<number>;
  /** Ends them without waiting for anything. */
  kill(): void;
}

/** The process itself has said why. */
export class ProcessFailed extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`A process of the server could not start; its exit code was ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

interface ProcessesParts {
  count: number;
  log: Log;
  sandboxes: SandboxUrls | null;
  /** Why the whole server cannot take calls, or null. */
  notReady(): string | null;
}

interface Slot {
  number: number;
  worker: Worker;
  state: "loading" | "loaded" | "starting" | "ready" | "ended";
  readyAt: number;
  /** Ends without a time of peace before. */
  failures: number;
  lastMetrics: string;
  restart: NodeJS.Timeout | undefined;
}

/** A process that does not answer a question is left out. */
const answerMilliseconds = 2_000;
/** A stop takes no longer than this: then the processes are killed. */
const stopSecondsMax = 30;
const restartSeconds = { first: 0.5, longest: 30 };
/** A process that ran for this long was sound: its end is no reason to wait longer before the next start. */
const soundSeconds = 60;

/** Starts the processes, shares one listening address among them, and replaces those that end. */
export function startProcesses({ count, log, sandboxes, notReady }: ProcessesParts): Processes {
  const slots: Slot[] = [];
  const open = new Map<number, (from: Slot, answer: Answer) => void>();
  let asked = 0;
  let isStarted = false;
  const setUp = new Set<Region>();
  let stopping = false;
  let replaced = 0;
  /** What processes that have ended had counted: a sum must never fall. */
  let ended = "";
  let settle = { ready: () => {}, failed: (_: ProcessFailed) => {} };
  const whenReady = new Promise<void>((resolve, reject) => {
    settle = { ready: resolve, failed: reject };
  });
  let onAllEnded = (): void => {};
  let exitCode = 0;

  const running = (): Slot[] => slots.filter(({ state }) => state !== "ended");

  function fork(number: number, failures: number): Slot {
    const worker = cluster.fork();
    const slot: Slot = {
      number,
      worker,
      state: "loading",
      readyAt: 0,
      failures,
      lastMetrics: "",
      restart: undefined,
    };
    worker.on("message", (message: ToPrimary) => hear(slot, message));
    worker.on("exit", (code, signal) => onExit(slot, code, signal));
    // A message to a process that is ending; its exit says the rest.
    worker.on("error", () => {});
    return slot;
  }

  function hear(slot: Slot, message: ToPrimary): void {
    if (message.kind === "loaded") {
      slot.state = "loaded";
      beginLoaded();
    }
    if (message.kind === "ready") {
      slot.state = "ready";
      slot.readyAt = performance.now();
      if (!isStarted) beginLoaded();
      else log.info({ process: slot.number, pid: slot.worker.process.pid }, "a process was replaced and is ready");
      if (!isStarted && slots.every(({ state }) => state === "ready")) {
        isStarted = true;
        settle.ready();
      }
    }
    if (message.kind === "answer") open.get(message.id)?.(slot, message.answer);
    if (message.kind === "gather") void gather(slot, message);
    if (message.kind === "last metrics") slot.lastMetrics = message.text;
  }

  /** The first one migrates the stores and creates the first account. The others start beside it, and wait for it. */
  function beginLoaded(): void {
    if (stopping) return;
    const [first] = slots;
    for (const slot of slots) {
      if (slot.state !== "loaded" || (slot !== first && !isStarted && first?.state !== "ready")) continue;
      slot.state = "starting";
      const { number } = slot;
      tell(slot, {
        kind: "begin",
        number,
        setsUp: slot === first,
        sandboxes,
        areSandboxesNew: slot === first && !isStarted,
      });
    }
  }

  function onExit(slot: Slot, code: number | null, signal: string | null): void {
    slot.state = "ended";
    ended = joinMetrics([ended, countersOf(slot.lastMetrics)]);
    if (stopping) {
      if (code !== 0) exitCode = 1;
      if (running().length === 0) onAllEnded();
      return;
    }
    if (!isStarted) {
      settle.failed(new ProcessFailed(code || 1));
      return;
    }
    const isSound = slot.readyAt > 0 && performance.now() - slot.readyAt > soundSeconds * 1000;
    const failures = isSound ? 0 : slot.failures;
    const seconds = Math.min(restartSeconds.longest, restartSeconds.first * 2 ** failures);
    const line = { process: slot.number, pid: slot.worker.process.pid, code, signal, restart_seconds: seconds };
    log.error(line, "a server process has ended and will be replaced");
    slot.restart = setTimeout(() => {
      replaced++;
      slots[slot.number - 1] = fork(slot.number, failures + 1);
    }, seconds * 1000);
  }

  async function gather(asking: Slot, { id, question, own }: ToPrimary & { kind: "gather" }): Promise<void> {
    if (question.about === "metrics") asking.lastMetrics = own ?? "";
    const others = slots.filter((slot) => slot !== asking && (slot.state === "ready" || slot.state === "starting"));
    const answers = await Promise.all(others.map((slot) => ask(slot, question)));
    const primary = question.about === "metrics" ? metricsOfPrimary() : stopping ? "stopping" : notReady();
    const ofFirst = asking === slots[0] ? own : answers[others.indexOf(slots[0] as Slot)];
    if (question.about === "readiness" && ofFirst === null) setUp.add(question.region);
    const isSetUp = question.about === "readiness" && setUp.has(question.region);
    tell(asking, { kind: "gathered", id, gathered: { answers, primary, isStarted, isSetUp } });
  }

  function ask(slot: Slot, question: Question): Promise<Answer> {
    const id = asked++;
    return new Promise<Answer>((resolve) => {
      // What it had counted before still counts.
      const silence = question.about === "metrics" ? slot.lastMetrics : "a process does not respond";
      const timer = setTimeout(resolve, answerMilliseconds, silence);
      open.set(id, (from, answer) => {
        if (from !== slot) return;
        clearTimeout(timer);
        if (question.about === "metrics") slot.lastMetrics = answer ?? "";
        resolve(answer);
      });
      tell(slot, { kind: "ask", id, question });
    }).finally(() => open.delete(id));
  }

  const metricsOfPrimary = (): string => {
    const ready = slots.filter(({ state }) => state === "ready").length;
    return joinMetrics([ended, primaryMetrics({ ready, replaced })]);
  };

  for (let number = 1; number <= count; number++) slots.push(fork(number, 0));
  return {
    whenReady,
    async stop(why) {
      stopping = true;
      for (const { restart } of slots) clearTimeout(restart);
      const late = setTimeout(() => {
        log.error({ seconds: stopSecondsMax }, "processes that did not stop in time are killed");
        kill();
      }, stopSecondsMax * 1000);
      await new Promise<void>((resolve) => {
        onAllEnded = resolve;
        for (const slot of running()) {
          if (slot.state === "ready") tell(slot, { kind: "stop", why });
          else slot.worker.process.kill("SIGTERM");
        }
        if (running().length === 0) resolve();
      });
      clearTimeout(late);
      return exitCode;
    },
    kill,
  };

  function kill(): void {
    stopping = true;
    for (const { worker } of running()) worker.process.kill("SIGKILL");
  }
}

const tell = ({ worker }: Slot, message: FromPrimary): void => {
  if (worker.isConnected()) worker.send(message, undefined, () => {});
};
