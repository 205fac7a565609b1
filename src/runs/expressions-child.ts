import { Worker } from "node:worker_threads";
import jsonata from "jsonata";
import type { Answered, Asked } from "./expressions-desk.ts";

/**
 * A process of its own for expressions. What people write there can loop, match for ever, or multiply a value until the
 * memory ends, often within one call of the evaluator that nothing interrupts. A thread does not help: an allocation that
 * is too large ends the whole process it happens in. This one can be ended, and nothing else goes with it.
 */

// Nothing that one expression does may be seen by the next.
Object.freeze(Object.prototype);

const entry = Symbol.for("jsonata.__evaluate_entry");
/** Reading the clock costs more than a step of the evaluator. */
const stepsBetweenLooks = 50;

class Refused extends Error {}

async function evaluate({ expression, values, limits }: Asked): Promise<Answered> {
  try {
    const prepared = prepare(expression, limits);
    const began = process.threadCpuUsage();
    let steps = 0;
    // Time that this thread has worked: a machine that is busy with other things is no reason to refuse.
    const look = () => {
      if (++steps % stepsBetweenLooks > 0) return;
      const { user, system } = process.threadCpuUsage(began);
      if (user + system > limits.milliseconds * 1000) throw { code: "D1012" };
    };
    // The package's types do not know that it takes symbols here too.
    (prepared as unknown as { assign(name: symbol, value: unknown): void }).assign(entry, look);
    const json = JSON.stringify(await prepared.evaluate(values, { ...values }), onlyData);
    if (json === undefined) return { kind: "nothing" };
    return json.length > limits.characters ? { kind: "failed", reason: "too big" } : { kind: "value", json };
  } catch (error) {
    return failureOf(error);
  }
}

const kept = new Map<string, jsonata.Expression>();
const keptMax = 500;

/** Reading an expression takes longer than most take to evaluate, and a tool's come again with every run. */
function prepare(expression: string, limits: Asked["limits"]): jsonata.Expression {
  let prepared = kept.get(expression);
  if (prepared) return prepared;
  prepared = jsonata(expression, { stack: limits.depth, sequence: limits.items });
  if (kept.size >= keptMax) kept.clear();
  kept.set(expression, prepared);
  return prepared;
}

function onlyData(_: string, value: unknown): unknown {
  const isFunction =
    typeof value === "function" ||
    (typeof value === "object" &&
      value !== null &&
      (Object.hasOwn(value, "_jsonata_lambda") || Object.hasOwn(value, "_jsonata_function")));
  if (isFunction) throw new Refused("The expression gives a function, not a value.");
  return value;
}

const reasons: Readonly<Record<string, "too long" | "too deep" | "too big">> = {
  D1011: "too deep",
  D1012: "too long",
  D2014: "too big",
  D2015: "too big",
};

function failureOf(error: unknown): Answered {
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const reason = reasons[String(code)];
  if (reason) return { kind: "failed", reason };
  if (error instanceof RangeError)
    return { kind: "failed", reason: /stack/.test(error.message) ? "too deep" : "too big" };
  const detail = typeof message === "string" && message !== "" ? message : "The expression failed.";
  return { kind: "failed", reason: "failed", detail };
}

/**
 * Ends this process when one expression holds it up, even where nobody is left to tell: the server that asked may have
 * been killed meanwhile. It looks from a thread of its own, which goes on when ours does not, at a clock that nobody sets.
 */
const watch = `
  const { workerData } = require("node:worker_threads");
  setInterval(() => {
    const until = Number(Atomics.load(workerData, 0));
    if (until > 0 && Number(process.hrtime.bigint() / 1000000n) > until) process.kill(process.pid, "SIGKILL");
  }, 100);
`;
const busyUntil = new BigInt64Array(new SharedArrayBuffer(8));
const watcher = new Worker(watch, { eval: true, execArgv: [], workerData: busyUntil });

/** One after the other, and the next only once the answer is on its way: whoever ends this process ends only itself. */
let line = Promise.resolve();
process.on("message", (asked: Asked) => {
  line = line.then(async () => {
    Atomics.store(busyUntil, 0, process.hrtime.bigint() / 1_000_000n + BigInt(asked.limits.wallMilliseconds));
    const answered = await evaluate(asked);
    Atomics.store(busyUntil, 0, 0n);
    await new Promise<void>((sent) => {
      process.send?.(answered, undefined, undefined, () => sent());
    });
  });
});
process.on("disconnect", () => process.exit());
// Whoever stops the server stops it with all its children; runs that finish meanwhile still need this one.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
watcher.once("online", () => process.send?.({ kind: "ready" }));
