import jsonata from "jsonata";
import { expressionLimits } from "../compute-limits.ts";
import { type Pieces, readPieces, writePieces } from "../json-pieces.ts";

export interface ExpressionInput {
  expression: string;
  /** The values of the names in it. */
  values: Pieces;
}

export type ExpressionFailure = "failed" | "too long" | "too deep" | "too big";

export type ExpressionOutput =
  | { kind: "nothing" }
  | { kind: "value"; value: Pieces }
  | { kind: "failed"; reason: ExpressionFailure; detail?: string };

const entry = Symbol.for("jsonata.__evaluate_entry");
/** Reading the clock costs more than a step of the evaluator. */
const stepsBetweenChecks = 50;

class Refused extends Error {}

export async function evaluateExpression(input: ExpressionInput): Promise<ExpressionOutput> {
  try {
    const { expression } = input;
    const values = (await readPieces(input.values)) as Record<string, unknown>;
    const prepared = prepare(expression);
    const began = process.threadCpuUsage();
    let steps = 0;
    // CPU time of this thread: a busy machine is no reason to refuse.
    const checkTime = () => {
      if (++steps % stepsBetweenChecks > 0) return;
      const { user, system } = process.threadCpuUsage(began);
      if (user + system > expressionLimits.milliseconds * 1000) throw { code: "D1012" };
    };
    // The package's types omit that it accepts symbols here.
    (prepared as unknown as { assign(name: symbol, value: unknown): void }).assign(entry, checkTime);
    const json = JSON.stringify(await prepared.evaluate(values, { ...values }), onlyData);
    if (json === undefined) return { kind: "nothing" };
    if (json.length > expressionLimits.characters) return { kind: "failed", reason: "too big" };
    return { kind: "value", value: json.length < piecesFromCharacters ? json : await inPieces(json) };
  } catch (error) {
    return failureOf(error);
  }
}

/** Above this size the server reads the value in pieces. */
const piecesFromCharacters = 64 * 1024;
const inPieces = (json: string): Promise<Pieces> => writePieces(JSON.parse(json), Number.POSITIVE_INFINITY);

const cached = new Map<string, jsonata.Expression>();
const cachedMax = 500;

/** Parsing takes longer than most evaluations, and a tool's expressions repeat with every run. */
function prepare(expression: string): jsonata.Expression {
  let prepared = cached.get(expression);
  if (prepared) return prepared;
  prepared = jsonata(expression, { stack: expressionLimits.depth, sequence: expressionLimits.items });
  if (cached.size >= cachedMax) cached.clear();
  cached.set(expression, prepared);
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

function failureOf(error: unknown): ExpressionOutput {
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const reason = reasons[String(code)];
  if (reason) return { kind: "failed", reason };
  if (error instanceof RangeError)
    return { kind: "failed", reason: /stack/.test(error.message) ? "too deep" : "too big" };
  const detail = typeof message === "string" && message !== "" ? message : "The expression failed.";
  return { kind: "failed", reason: "failed", detail };
}
