import { Worker } from "node:worker_threads";
import type { ChildMessage, JobMessage, JobResult } from "./child-messages.ts";
import { type TaskName, tasks } from "./tasks/index.ts";

/**
 * A child process for computing that users or systems choose. Their input can loop, match forever or exhaust the
 * memory, often within one call that nothing interrupts. A thread does not help: an oversized allocation ends the whole
 * process. This process can end without taking anything else with it.
 */

sealPrototype();

/**
 * No job may affect the next. Freezing the prototype would suffice, but some libraries assign their own `toString` to
 * objects. So each member becomes an accessor that lets other objects define their own.
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
 * Kills this process when one job takes too long, even if the server that sent it no longer exists. It runs in its own
 * thread, which continues while the main thread is blocked. It compares the CPU time and a monotonic clock with the
 * deadlines.
 */
const watchdogCode = `
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
const watcher = new Worker(watchdogCode, { eval: true, execArgv: [], workerData: until });

function startWatchdog({ cpuMilliseconds, wallMilliseconds }: (typeof tasks)[TaskName]): void {
  const { user, system } = process.cpuUsage();
  Atomics.store(until, 0, BigInt(Math.ceil((user + system) / 1000) + cpuMilliseconds));
  Atomics.store(until, 1, process.hrtime.bigint() / 1_000_000n + BigInt(wallMilliseconds));
}

const stopWatchdog = (): void => void Atomics.store(until, 1, 0n);

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

async function work(name: TaskName, input: unknown): Promise<JobResult> {
  // Loading a task does not count.
  const run = await taskOf(name);
  startWatchdog(tasks[name]);
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
    stopWatchdog();
  }
}

let turn = 0;
let turnSpent = 0;

async function runInTurn(job: JobMessage): Promise<JobResult> {
  if (job.turn !== turn) {
    turn = job.turn;
    turnSpent = 0;
  }
  // Slow jobs must not occupy the process: the rest of the turn goes back to the queue.
  if (turnSpent > job.turnMilliseconds) return { kind: "returned" };
  const result = await work(job.name as TaskName, job.input);
  if (result.kind !== "returned") turnSpent += result.milliseconds;
  return result;
}

/**
 * Jobs run one after the other, and the next starts only after the answer was sent: a job that ends this process
 * affects only itself.
 */
let lastJob = Promise.resolve();
process.on("message", (job: JobMessage) => {
  lastJob = lastJob.then(async () => {
    const result = await runInTurn(job);
    await send(result).catch((error: unknown) => {
      // A value that cannot be copied to another process: the task is broken.
      const message = error instanceof Error ? error.message : String(error);
      return send({ kind: "threw", message, milliseconds: 0 });
    });
  });
});

const send = (message: ChildMessage): Promise<void> =>
  new Promise((sent) => {
    process.send?.(message, undefined, undefined, () => sent());
  });
process.on("disconnect", () => process.exit());
// A signal to the process group stops the server too. Runs that finish meanwhile still need this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
watcher.once("online", () => void send({ kind: "ready" }));
