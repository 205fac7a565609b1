import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isolatedDeclarationSync } from "rolldown/experimental";
import * as z from "zod";
import { operations } from "../../src/api/index.ts";
import { titleOfNeeds } from "../../src/api/reference/area-titles.ts";
import { type NamedSchemas, namedAnswerSchemaOf, namedBodySchemaOf } from "../../src/api/reference/named-schemas.ts";
import { operationIdOf } from "../../src/api/reference/operation-ids.ts";
import { type JsonSchema, namesInPath } from "../../src/api/reference/operation-schemas.ts";
import type { Operation } from "../../src/calls/define-operation.ts";
import { problems } from "../../src/kernel/problem.ts";
import { steps } from "../../src/systems/index.ts";
import { commentOf, declare, indented, typeOf } from "./schema-types.ts";

/**
 * The declarations of the packed client. In the repository its types follow from the definitions of the API, which need Zod
 * and the whole server. A program that installs the package has neither, so here the same types are written out, with names.
 */
export function clientDeclarations(): string {
  const named: NamedSchemas = {};
  const methods = operations.map((operation) => describe(operation, named));
  return `${[
    "/** The typed client of Signalbox. */",
    declarationsIn("options.ts"),
    declarationsIn("problem.ts").replace(/^import .*$/m, serverCodes()),
    ...Object.entries(named).map(([name, schema]) => declare(ownName(name), renamed(schema), "output")),
    ...methods.flatMap(({ declared }) => declared),
    operationTable(methods),
    stepTypes(),
    pageTypes,
    `/** A client of one region. */\nexport interface Signalbox ${groupText(groupsOf(methods))}`,
    constructorType,
  ].join("\n\n")}\n`;
}

/** These two are generic in the client: the output has the type of the step. */
const ownName = (name: string): string => (name === "StepRun" || name === "StepRead" ? `${name}Record` : name);
const renamed = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replace(/schemas\/(StepRun|StepRead)"/g, 'schemas/$1Record"')) as JsonSchema;

/** What a file of the client declares, without what is not exported by the client. */
function declarationsIn(file: string): string {
  const path = fileURLToPath(new URL(`../../src/client/${file}`, import.meta.url));
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, "utf8"));
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return code
    .replace(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export declare const [\s\S]*?;\n/g, "")
    .replace(/^export \{\s*\};?$/m, "")
    .trim();
}

const serverCodes = (): string =>
  `type ServerCode =\n${Object.keys(problems)
    .map((code) => `  | "${code}"`)
    .join("\n")};`;

interface Method {
  operation: Operation;
  /** Names of the client, outermost first: `runs`, `list`. */
  names: string[];
  declared: string[];
  input: string;
  isInputOptional: boolean;
  isInputEmpty: boolean;
  output: string;
  /** The type of a list's records, or null. */
  record: string | null;
}

const pascal = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const camel = (text: string): string => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function describe(operation: Operation, named: NamedSchemas): Method {
  const id = pascal(operationIdOf(operation.path));
  const body = namedBodySchemaOf(operation, named);
  const answer = renamed(namedAnswerSchemaOf(operation, named));
  const isReference = answer.$ref !== undefined;
  const [input, output] = [`${id}Input`, isReference ? typeOf(answer, "output") : `${id}Output`];
  const { results, next, ...others } = answer.properties ?? {};
  const isList = results?.items !== undefined && next !== undefined;
  const isPlainPage = isList && Object.keys(others).length === 0;
  return {
    operation,
    names: namesOf(operation.path),
    declared: [
      declare(input, { ...body, description: `Input of \`${operation.path}\`` }, "input"),
      ...(isReference || isPlainPage ? [] : [declare(output, answer, "output")]),
    ],
    input,
    isInputOptional: body.required === undefined,
    isInputEmpty: Object.keys(body.properties ?? {}).length === 0,
    output: isPlainPage ? `Page<${typeOf(results?.items ?? {}, "output")}>` : output,
    record: isList ? typeOf(results.items ?? {}, "output") : null,
  };
}

const namesOf = (path: string): string[] =>
  path
    .replace(/^\/latest\/(auth\/)?/, "")
    .split("/")
    .filter((word) => !word.startsWith("{"))
    .map((word, index) => (index === 0 && word === "invite" ? "invites" : camel(word)));

const operationTable = (methods: Method[]): string => {
  const rows = methods.map(({ operation, input, isInputEmpty, output }) => {
    const ids = namesInPath(operation).map((name) => `${name}: string`);
    const rest = isInputEmpty && ids.length > 0 ? [] : [input];
    const whole = [...(ids.length > 0 ? [`{ ${ids.join("; ")} }`] : []), ...rest].join(" & ");
    return `  ${JSON.stringify(operation.path)}: { input: ${whole}; output: ${output} };`;
  });
  return `/** Every operation, by its path. The ids in the path are members of the input. */
export interface Operations {
${rows.join("\n")}
}
export type Path = keyof Operations;
export type InputOf<P extends Path> = Operations[P]["input"];
export type OutputOf<P extends Path> = Operations[P]["output"];
/** The records of a list. */
export type RecordOf<P extends Path> = OutputOf<P> extends { results: (infer R)[] } ? R : never;`;
};

const pageTypes = `/** One page of a list. \`next\` is the \`after\` of the next page, null on the last one. */
export interface Page<R> {
  results: R[];
  next: string | null;
}
/** One page as a promise; all records, page after page, in \`for await\`. */
export interface Listed<R, P = Page<R>> extends Promise<P>, AsyncIterable<R> {}`;

function stepTypes(): string {
  const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
    withoutExtras(z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema, io);
  const declared = steps.flatMap((step) => [
    declare(`${pascal(camel(step.id))}Input`, { description: step.summary, ...schemaOf(step.input, "input") }, "input"),
    declare(`${pascal(camel(step.id))}Output`, schemaOf(step.output, "output"), "output"),
  ]);
  const rows = steps.map(({ id, summary }) => {
    const name = pascal(camel(id));
    return `  /** ${summary} */\n  ${id}: { input: ${name}Input; output: ${name}Output };`;
  });
  return `${declared.join("\n\n")}

/** Every step, by its id. */
export interface Steps {
${rows.join("\n")}
}
export type StepId = keyof Steps;
export type StepInput<I extends StepId> = Steps[I]["input"];
export type StepOutput<I extends StepId> = Steps[I]["output"];
type WithOutput<T extends { status: string }, I extends StepId> =
  | (Omit<T, "output" | "status"> & { status: "succeeded"; output: StepOutput<I> })
  | (Omit<T, "output" | "status"> & { status: Exclude<T["status"], "succeeded">; output: StepOutput<I> | null });
/** The run of a step. \`output\` may be null unless \`status\` is \`succeeded\`. */
export type StepRun<I extends StepId> = WithOutput<StepRunRecord, I>;
export type StepRead<I extends StepId> = WithOutput<StepReadRecord, I>;
export interface StepCall<I extends StepId> {
  connection_id: string;
  input?: StepInput<I>;
  wait_seconds?: number;
}
type Policy = Pick<RunStepInput, "policy">;`;
}

/** Members that a response may gain later are not part of its type. */
function withoutExtras(schema: JsonSchema, io: "input" | "output"): JsonSchema {
  const isDropped = (key: string, value: unknown) =>
    key === "additionalProperties" && value === false && io === "output";
  return JSON.parse(JSON.stringify(schema, (key, value) => (isDropped(key, value) ? undefined : value))) as JsonSchema;
}

interface Group {
  methods: Method[];
  inside: Groups;
}
type Groups = Map<string, Group>;

function groupsOf(methods: Method[]): Groups {
  const root: Groups = new Map();
  for (const method of methods) {
    let level = root;
    for (const [index, name] of method.names.entries()) {
      const group: Group = level.get(name) ?? { methods: [], inside: new Map() };
      level.set(name, group);
      if (index === method.names.length - 1) group.methods.push(method);
      level = group.inside;
    }
  }
  return root;
}

/** Methods that are not written like the others, by their names. */
const special: Readonly<Record<string, string>> = {
  "steps.run": `run<I extends StepId>(stepId: I, call: StepCall<I> & { dry_run?: false }, options?: CallOptions): Promise<StepRun<I>>;
run<I extends StepId>(stepId: I, call: StepCall<I> & Policy & { dry_run: true }, options?: CallOptions): Promise<DryRun>;
run<I extends StepId>(stepId: I, call: StepCall<I> & Policy & { dry_run?: boolean }, options?: CallOptions): Promise<StepRun<I> | DryRun>;`,
  "steps.read": "read<I extends StepId>(stepId: I, call: StepCall<I>, options?: CallOptions): Promise<StepRead<I>>;",
};

const constructorType = `export declare const Signalbox: {
  new (options: SignalboxOptions): Signalbox;
  (options: SignalboxOptions): Signalbox;
};`;

const additions: Readonly<Record<string, string>> = {
  "": "/** The same account in another project. */\ninProject(projectId: string): Signalbox;",
  runs: "/** The run each time that it has changed, until it ends or waits for a person. */\nfollow(runId: string, options?: { signal?: AbortSignal }): AsyncIterable<Run>;",
};

function groupText(groups: Groups, trail: string[] = []): string {
  const members = [...groups].flatMap(([name, { methods, inside }]) => {
    const group = inside.size > 0 ? [`${name}: ${groupText(inside, [...trail, name])};`] : [];
    return [...methods.map((method) => methodText(name, method)), ...group];
  });
  const added = additions[trail.join(".")];
  return `{\n${indented([...members, ...(added ? [added] : [])].join("\n"))}\n}`;
}

function methodText(name: string, { operation, names, input, isInputOptional, output, record }: Method): string {
  const comment = commentOf(`${operation.summary}. Needs: ${titleOfNeeds(operation.needs)}.`, "");
  const own = special[names.join(".")];
  if (own) return `${comment}${own}`;
  const ids = namesInPath(operation).map((id) => `${camel(id)}: string`);
  const values = [...ids, `input${isInputOptional ? "?" : ""}: ${input}`, "options?: CallOptions"].join(", ");
  const page = output === `Page<${record}>` ? "" : `, ${output}`;
  return `${comment}${name}(${values}): ${record === null ? `Promise<${output}>` : `Listed<${record}${page}>`};`;
}
