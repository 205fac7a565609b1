import type * as z from "zod";
import { type ReadText, textsIn, textsWithBraces } from "../expressions/fill-in.ts";
import type { FieldError } from "../kernel/problem.ts";
import type { KnownWait, SystemId } from "../systems/index.ts";
import { findStep, findWait, steps as knownSteps } from "../systems/index.ts";
import { hasBraces, isExpression } from "../untrusted/expression-syntax/split-text.ts";
import { characterOfNode, weightUpTo } from "../untrusted/weight.ts";
import { builtInSteps, isBuiltInStep } from "./built-in-steps.ts";
import { checkExpressions, type VisibleNames } from "./check-expressions.ts";
import { definitionCharactersMax, type ToolDefinition, type ToolStep } from "./definition.ts";
import { findInputMistakes } from "./input-mistakes.ts";

/** What `examine` needs to know about the project. */
export interface Known {
  connectionSystem(id: string): SystemId | null;
  /** What is wrong with `params_schema`, each with a pointer from its root. */
  schemaMistakes: readonly FieldError[];
  /** Reads the texts of the definition. */
  read: ReadText;
}

export interface Findings {
  mistakes: FieldError[];
  /** Allowed, but probably wrong. */
  warnings: FieldError[];
}

/** Every mistake, with a JSON Pointer from the definition's root: `#/steps/1/input/branch`. */
export function examine(definition: ToolDefinition, known: Known): Findings {
  const found: Findings = { mistakes: [], warnings: [] };
  found.mistakes.push(...under("#/params_schema", known.schemaMistakes));
  definition.steps.forEach((step, index) => {
    examineStep(definition, step, index, known, found);
  });
  const visible = visibleNamesAt(definition, definition.steps.length, false);
  checkExpressions(definition.output, "#/output", visible, known.read, found);
  return found;
}

/** A definition that is too large is not examined further. */
export function findTooLarge(definition: ToolDefinition): FieldError[] {
  // Every value takes two characters at least, so a definition of this weight is surely too large, and need not be
  // serialized.
  const weightMax = definitionCharactersMax * (characterOfNode / 2 + 1);
  const isLarge =
    weightUpTo(definition, weightMax) > weightMax || JSON.stringify(definition).length > definitionCharactersMax;
  if (!isLarge) return [];
  return [mistake("#", "too_big", `A definition has at most ${definitionCharactersMax} characters.`)];
}

/** The texts of a definition that may hold expressions. */
export const textsOf = ({ steps, output }: ToolDefinition): string[] =>
  textsIn([output, ...steps.flatMap((step) => [step.if?.trim(), step.if, step.foreach, step.input])]);

function examineStep(definition: ToolDefinition, step: ToolStep, index: number, known: Known, found: Findings): void {
  const at = `#/steps/${index}`;
  if (definition.steps.findIndex(({ name }) => name === step.name) < index) {
    found.mistakes.push(mistake(`${at}/name`, "duplicate_name", `Another step is called ${step.name} already.`));
  }
  const definitionOfStep = findStep(step.step);
  const schema: z.ZodType | undefined =
    definitionOfStep?.input ?? (isBuiltInStep(step.step) ? builtInSteps[step.step]?.input : undefined);
  if (!schema) {
    const all = [...knownSteps.map(({ id }) => id), ...Object.keys(builtInSteps)];
    found.mistakes.push(
      mistake(`${at}/step`, "unknown_step", `There is no step "${step.step}". There are ${all.join(", ")}.`),
    );
  } else found.mistakes.push(...under(`${at}/input`, findInputMistakes(schema, step.input)));
  found.mistakes.push(...connectionMistakes(definition, index, known));
  examineFlow(step, at, known.read, found);
  const before = visibleNamesAt(definition, index, false);
  checkExpressions(step.if, `${at}/if`, before, known.read, found);
  checkExpressions(step.foreach, `${at}/foreach`, before, known.read, found);
  checkExpressions(
    step.input,
    `${at}/input`,
    visibleNamesAt(definition, index, step.foreach !== undefined),
    known.read,
    found,
  );
  for (const member of ["input", "foreach"] as const) {
    found.mistakes.push(...ownApprovalMistakes(definition, index, step[member], `${at}/${member}`, known.read));
  }
}

/** An approval is bound to the request that was shown, which cannot include who will approve it. */
function ownApprovalMistakes(
  definition: ToolDefinition,
  index: number,
  template: unknown,
  at: string,
  read: ReadText,
): FieldError[] {
  const approval = definition.steps.slice(0, index).findLast(({ step }) => step !== "wait");
  if (approval?.step !== "approve" || !findStep(definition.steps[index]?.step ?? "")) return [];
  return textsWithBraces(template, read)
    .filter(({ parts }) =>
      parts.some((part) => isExpression(part) && part.references.steps.some(({ name }) => name === approval.name)),
    )
    .map(({ pointer }) =>
      mistake(
        at + pointer,
        "own_approval",
        `People see this request before they decide on ${approval.name}, so it cannot use the output of that step.`,
      ),
    );
}

const visibleNamesAt = (definition: ToolDefinition, stepsBefore: number, hasForeach: boolean): VisibleNames => ({
  steps: definition.steps.slice(0, stepsBefore).map(({ name }) => name),
  laterSteps: definition.steps.slice(stepsBefore).map(({ name }) => name),
  schema: definition.params_schema,
  roots: hasForeach ? ["params", "steps", "foreach"] : ["params", "steps"],
});

/** Text around the expression would make the result a text, which is neither a boolean nor a list. */
const isOneExpression = (text: string, read: ReadText): boolean => {
  if (!hasBraces(text)) return false;
  const [only, ...others] = read(text);
  return others.length === 0 && only !== undefined && typeof only !== "string";
};

function examineFlow(step: ToolStep, at: string, read: ReadText, found: Findings): void {
  if (step.if !== undefined && !isOneExpression(step.if.trim(), read)) {
    found.mistakes.push(mistake(`${at}/if`, "not_an_expression", "Write it in braces: `{{ params.count > 0 }}`."));
  }
  if (typeof step.foreach === "string" && !isOneExpression(step.foreach, read)) {
    found.mistakes.push(
      mistake(`${at}/foreach`, "not_an_expression", "Give a list, or an expression in braces that gives one."),
    );
  }
  if (step.foreach !== undefined && isBuiltInStep(step.step)) {
    found.mistakes.push(mistake(`${at}/foreach`, "not_repeatable", `${step.step} cannot be done for each of a list.`));
  }
}

function connectionMistakes(definition: ToolDefinition, index: number, known: Known): FieldError[] {
  const step = definition.steps[index] as ToolStep;
  const at = `#/steps/${index}/connection_id`;
  const wait = findWait(step.step);
  const wanted = (wait ?? findStep(step.step))?.system.id;
  if (wanted === undefined) return [];
  const id = wait ? waitConnectionOf(wait, definition.steps, index) : step.connection_id;
  if (id === undefined || id === null) {
    return [mistake(at, "missing_connection", `Name the connection to ${wanted} that it acts with.`)];
  }
  const system = known.connectionSystem(id);
  if (system === null) return [mistake(at, "unknown_connection", `The project has no connection ${id}.`)];
  if (system === wanted) return [];
  return [mistake(at, "wrong_system", `The connection is one to ${system}, and the step calls ${wanted}.`)];
}

/** The connection with which a tool waits: its own, or that of the nearest step before it that calls the same system. */
export function waitConnectionOf({ system }: KnownWait, steps: readonly ToolStep[], index: number): string | null {
  const own = steps[index]?.connection_id;
  if (own !== undefined) return own;
  const before = steps.slice(0, index).reverse();
  return before.find(({ step }) => findStep(step)?.system === system)?.connection_id ?? null;
}

const mistake = (pointer: string, code: string, detail: string): FieldError => ({ pointer, code, detail });

const under = (pointer: string, errors: readonly FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));

export const connectionIdsOf = (definition: ToolDefinition): string[] => [
  ...new Set(definition.steps.flatMap(({ connection_id }) => connection_id ?? [])),
];
