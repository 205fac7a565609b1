import cluster from "node:cluster";
import type { Region } from "../../kernel/regions.ts";
import type { OwnSandboxes } from "../sandboxes/start-sandboxes.ts";
import { joinMetrics } from "./join-metrics.ts";
import {
  type Answer,
  type FromPrimary,
  firstStartLacks,
  type Gathered,
  type Question,
  type ToPrimary,
} from "./messages.ts";

/** What a process can say of itself. */
export interface OwnState {
  metrics(): Promise<string>;
  /** Why it cannot take calls for a region, or null. */
  notReady(region: Region): Promise<string | null>;
}

/** One process of a server that has several, as it sees the others. */
export interface Member {
  number: number;
  setsUp: boolean;
  sandboxes: OwnSandboxes | null;
  areSandboxesNew: boolean;
  /** Call it before the first question can arrive. */
  answerWith(state: OwnState): void;
  /** The metrics of all processes on one page. */
  metricsOfAll(own: string): Promise<string>;
  /** Null if enough processes can take calls for the region. */
  notReadyTogether(region: Region, own: string | null): Promise<string | null>;
  /** It takes calls from now on. `stop` is called when the primary says so, or is gone. */
  ready(stop: (why: string) => void): void;
  /** What it has counted is kept after its end. */
  leave(lastMetrics: string): Promise<void>;
}

/** The primary answers by itself within two seconds. */
const patienceMilliseconds = 5_000;

/** Tells the primary that the code is loaded, and waits until it is this process's turn. */
export async function joinProcesses(processes: number): Promise<Member> {
  const waiting = new Map<number, (gathered: Gathered) => void>();
  let questions = 0;
  let state: OwnState | null = null;
  let stop: (why: string) => void = () => process.exit(0);

  const begun = new Promise<FromPrimary & { kind: "begin" }>((resolve) => {
    process.on("message", (message: FromPrimary) => {
      if (message.kind === "begin") resolve(message);
      if (message.kind === "ask") void answer(message);
      if (message.kind === "gathered") waiting.get(message.id)?.(message.gathered);
      if (message.kind === "stop") stop(message.why);
    });
  });
  cluster.worker?.on("disconnect", () => {
    // Otherwise the library would end the process at once, in the middle of accepted calls.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    stop("the primary process has ended");
  });

  async function answer({ id, question }: FromPrimary & { kind: "ask" }): Promise<void> {
    // The primary shows this text in place of the answer.
    tell({ kind: "answer", id, answer: await answerTo(question).catch(() => "it could not report its state") });
  }

  async function answerTo(question: Question): Promise<Answer> {
    if (question.about === "metrics") return (await state?.metrics()) ?? "";
    return state ? state.notReady(question.region) : "starting";
  }

  function gather(question: Question, own: Answer): Promise<Gathered | null> {
    const id = questions++;
    if (!process.connected) return Promise.resolve(null);
    return new Promise<Gathered | null>((resolve) => {
      const timer = setTimeout(resolve, patienceMilliseconds, null);
      waiting.set(id, (gathered) => {
        clearTimeout(timer);
        resolve(gathered);
      });
      tell({ kind: "gather", id, question, own });
    }).finally(() => waiting.delete(id));
  }

  tell({ kind: "loaded" });
  const { number, setsUp, sandboxes, areSandboxesNew } = await begun;
  return {
    number,
    setsUp,
    // They belong to the primary, which says if they have ended.
    sandboxes: sandboxes && { urls: sandboxes, isRunning: () => true, stop: async () => {} },
    areSandboxesNew,
    answerWith(given) {
      state = given;
    },
    async metricsOfAll(own) {
      const gathered = await gather({ about: "metrics" }, own);
      return joinMetrics([own, ...(gathered ? [...gathered.answers, gathered.primary] : [])].map((text) => text ?? ""));
    },
    async notReadyTogether(region, own) {
      const gathered = await gather({ about: "readiness", region }, own);
      return gathered ? readinessOf(own, gathered, processes) : "the primary process does not respond";
    },
    ready(whenToldToStop) {
      stop = whenToldToStop;
      tell({ kind: "ready" });
    },
    leave: (text) => new Promise((resolve) => tell({ kind: "last metrics", text }, resolve)),
  };
}

/** A server that lost a process, and replaces it, still takes calls with the others. */
export function readinessOf(
  own: Answer,
  { answers, primary, isStarted, isSetUp }: Gathered,
  processes: number,
): string | null {
  const all = [own, ...answers];
  const reason = primary ?? all.find((each) => each !== null) ?? null;
  if (primary !== null) return reason;
  // A process that replaces the first one looks again; the others have served meanwhile.
  const lacking = isSetUp ? undefined : Object.values(firstStartLacks).find((each) => all.includes(each));
  if (lacking !== undefined) return lacking;
  if (!isStarted) return reason ?? "starting";
  const ready = all.filter((each) => each === null).length;
  if (ready * 2 >= processes) return null;
  return `${ready} of ${processes} processes are ready${reason === null ? "" : `: ${reason}`}`;
}

/** A primary that is gone hears nothing, and the process is about to stop. */
function tell(message: ToPrimary, told: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => told());
  else told();
}
