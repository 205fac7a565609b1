import { operations } from "../src/api/index.ts";
import { bodySchemaOf, type JsonSchema, namesInPath } from "../src/api/reference/operation-schemas.ts";
import type { Operation } from "../src/calls/define-operation.ts";
import { callerSettings } from "../src/start/settings/caller-settings.ts";
import { allRegionSettings } from "../src/start/settings/region-settings.ts";
import { settings } from "../src/start/settings/settings.ts";

/** What the command line knows of the API and of the settings: commands start quickly because they need not load the server. */
export function cliContract(): string {
  const names = [settings, callerSettings].flatMap((group) => Object.values(group).map(({ name }) => name));
  const lines = operations.filter(isForCommands).map((operation) => JSON.stringify(entryOf(operation)));
  const allNames = [...names, ...allRegionSettings().map(({ name }) => name)];
  return `{"settings":${JSON.stringify(allNames)},\n"operations":[\n${lines.join(",\n")}\n]}\n`;
}

/** Signing in, and what only a session of a browser may do, has no command. */
const isForCommands = ({ path, needs }: Operation): boolean =>
  needs !== "nobody" &&
  !/^\/latest\/auth\/(assistants|confirm|passkeys|codes|password|sign_|security)/.test(path) &&
  path !== "/latest/projects/delete" &&
  path !== "/latest/projects/watch";

function entryOf(operation: Operation) {
  const { properties = {}, required = [] } = bodySchemaOf(operation);
  return {
    path: operation.path,
    summary: operation.summary,
    ...(operation.audit === null ? {} : { changes: true }),
    ...("limit" in properties && "after" in properties ? { list: true } : {}),
    ids: namesInPath(operation),
    fields: Object.entries(properties).map(([name, schema]) => ({
      name,
      ...kindOf(schema),
      ...(required.includes(name) ? { required: true } : {}),
      ...(schema.description === undefined ? {} : { means: schema.description }),
    })),
  };
}

type Kind = { kind: "text" | "number" | "boolean" | "texts" | "json"; choices?: string[] };

function kindOf(schema: JsonSchema): Kind {
  const parts = (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null");
  const [only] = parts;
  if (!only || parts.length > 1) return parts.every(isWord) ? { kind: "text" } : { kind: "json" };
  if (only.enum) return { kind: "text", choices: only.enum };
  const type = Array.isArray(only.type) ? only.type.find((each) => each !== "null") : only.type;
  if (type === "string") return { kind: "text", ...(typeof only.const === "string" ? { choices: [only.const] } : {}) };
  if (type === "integer" || type === "number") return { kind: "number" };
  if (type === "boolean") return { kind: "boolean" };
  if (type === "array" && only.items?.type === "string") return { kind: "texts" };
  return { kind: "json" };
}

/** A version of a tool is a word or a number; both are written the same way. */
const isWord = ({ type, enum: words, const: word }: JsonSchema): boolean =>
  words !== undefined || typeof word === "string" || type === "string" || type === "integer";
