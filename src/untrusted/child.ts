import { Worker } from "node:worker_threads";
import type { Answered, Asked, Told } from "./messages.ts";
import { type TaskName, tasks } from "./tasks/index.ts";

/**
 * A process for computing that others choose. What they write can loop, match for ever, or multiply a value until the
 * memory ends, often within one call that nothing interrupts. A thread does not help: an allocation that is too large ends
 * the whole process it happens in. This one can be ended, and nothing else goes with it.
 */

sealPrototype();

/**
 * Nothing that one job does may be seen by the next. A frozen prototype would do, but for libraries that give their own
 * objects a `toString` by assignment; so every member becomes a pair of functions that let others have their own.
 */
function sealPrototype(): void {
  for (const name of Reflect.ownKeys(Object.prototype)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(Object.prototype, name) as PropertyDescriptor;
    if (!writable) continue;
    Object.defineProperty(Object.prototype, name, {
      get: () => value as unknown,
      set(own: unknown) {
        if (this === Object.prototype) throw new TypeError("Object.prototype cannot be changed.");
        Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
      },
      configurable: false,
      enumerable: false,
    });
  }
  Object.freeze(Object.prototype);
}

/**
 * Ends this process when one job holds it up, even where nobody is left to tell: the server that asked may have been killed
 * meanwhile. It looks from a thread of its own, which goes on when ours does not: at the time that this process has worked,
 * and at a clock that nobody sets.
 */
const watch = `
  const { workerData } = require("node:worker_threads");
  setInterval(() => {
    const [cpuUntil, wallUntil] = [Number(Atomics.load(workerData, 0)), Number(Atomics.load(workerData, 1))];
    if (wallUntil === 0) return;
    const { user, system } = process.cpuUsage();
    const now = Number(process.hrtime.bigint() / 1000000n);
    if ((user + system) / 1000 > cpuUntil || now > wallUntil) process.kill(process.pid, "SIGKILL");
  }, 50);
`;
const until = new BigInt64Array(new SharedArrayBuffer(16));
const watcher = new Worker(watch, { eval: true, execArgv: [], workerData: until });

function watchOver({ cpuMilliseconds, wallMilliseconds }: (typeof tasks)[TaskName]): void {
  const { user, system } = process.cpuUsage();
  Atomics.store(until, 0, BigInt(Math.ceil((user + system) / 1000) + cpuMilliseconds));
  Atomics.store(until, 1, process.hrtime.bigint() / 1_000_000n + BigInt(wallMilliseconds));
}

const watchNoMore = (): void => void Atomics.store(until, 1, 0n);

type Run = (input: unknown) => unknown;
const loaded = new Map<string, Run>();

async function taskOf(name: TaskName): Promise<Run> {
  let run = loaded.get(name);
  if (!run) {
    run = (await tasks[name].load()) as Run;
    loaded.set(name, run);
  }
  return run;
}

async function work(name: TaskName, input: unknown): Promise<Answered> {
  // What a task takes to load is nobody's fault.
  const run = await taskOf(name);
  watchOver(tasks[name]);
  const began = process.threadCpuUsage();
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  };
  try {
    const value = await run(input);
    return { kind: "done", value, milliseconds: spent() };
  } catch (error) {
    if (error instanceof RangeError) {
      const reason = /stack/.test(error.message) ? "too deep" : "too big";
      return { kind: "overran", reason, milliseconds: spent() };
    }
    return { kind: "threw", message: error instanceof Error ? error.message : String(error), milliseconds: spent() };
  } finally {
    watchNoMore();
  }
}

let turn = 0;
let turnSpent = 0;

async function answer(asked: Asked): Promise<Answered> {
  if (asked.turn !== turn) {
    turn = asked.turn;
    turnSpent = 0;
  }
  // A turn of slow jobs must not hold the process: what is left of it waits its turn again.
  if (turnSpent > asked.turnMilliseconds) return { kind: "handed back" };
  const answered = await work(asked.name as TaskName, asked.input);
  if (answered.kind !== "handed back") turnSpent += answered.milliseconds;
  return answered;
}

/** One after the other, and the next only once the answer is on its way: whoever ends this process ends only itself. */
let line = Promise.resolve();
process.on("message", (asked: Asked) => {
  line = line.then(async () => {
    const answered = await answer(asked);
    await send(answered).catch((error: unknown) => {
      // A value that cannot be copied to another process: the task is broken.
      const message = error instanceof Error ? error.message : String(error);
      return send({ kind: "threw", message, milliseconds: 0 });
    });
  });
});

const send = (told: Told): Promise<void> =>
  new Promise((sent) => {
    process.send?.(told, undefined, undefined, () => sent());
  });
process.on("disconnect", () => process.exit());
// Whoever stops the server stops it with all its children; runs that finish meanwhile still need this one.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
watcher.once("online", () => void send({ kind: "ready" }));
