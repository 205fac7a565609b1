import jsonata from "jsonata";

export const expressionLimits = {
  /** Of work, not of waiting. */
  milliseconds: 250,
  depth: 300,
  items: 100_000,
  characters: 4 * 1024 * 1024,
};

export interface ExpressionAsked {
  expression: string;
  /** What the names in it stand for. */
  values: Record<string, unknown>;
}

export type ExpressionFailure = "failed" | "too long" | "too deep" | "too big";

export type ExpressionAnswered =
  | { kind: "nothing" }
  | { kind: "value"; json: string }
  | { kind: "failed"; reason: ExpressionFailure; detail?: string };

const entry = Symbol.for("jsonata.__evaluate_entry");
/** Reading the clock costs more than a step of the evaluator. */
const stepsBetweenLooks = 50;

class Refused extends Error {}

export async function evaluateExpression({ expression, values }: ExpressionAsked): Promise<ExpressionAnswered> {
  try {
    const prepared = prepare(expression);
    const began = process.threadCpuUsage();
    let steps = 0;
    // Time that this thread has worked: a machine that is busy with other things is no reason to refuse.
    const look = () => {
      if (++steps % stepsBetweenLooks > 0) return;
      const { user, system } = process.threadCpuUsage(began);
      if (user + system > expressionLimits.milliseconds * 1000) throw { code: "D1012" };
    };
    // The package's types do not know that it takes symbols here too.
    (prepared as unknown as { assign(name: symbol, value: unknown): void }).assign(entry, look);
    const json = JSON.stringify(await prepared.evaluate(values, { ...values }), onlyData);
    if (json === undefined) return { kind: "nothing" };
    return json.length > expressionLimits.characters ? { kind: "failed", reason: "too big" } : { kind: "value", json };
  } catch (error) {
    return failureOf(error);
  }
}

const kept = new Map<string, jsonata.Expression>();
const keptMax = 500;

/** Reading an expression takes longer than most take to evaluate, and a tool's come again with every run. */
function prepare(expression: string): jsonata.Expression {
  let prepared = kept.get(expression);
  if (prepared) return prepared;
  prepared = jsonata(expression, { stack: expressionLimits.depth, sequence: expressionLimits.items });
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

function failureOf(error: unknown): ExpressionAnswered {
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const reason = reasons[String(code)];
  if (reason) return { kind: "failed", reason };
  if (error instanceof RangeError)
    return { kind: "failed", reason: /stack/.test(error.message) ? "too deep" : "too big" };
  const detail = typeof message === "string" && message !== "" ? message : "The expression failed.";
  return { kind: "failed", reason: "failed", detail };
}
