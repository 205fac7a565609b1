import { needsProject } from "../../../access/callers/authorize.ts";
import { exampleBodyOf, namesInPath } from "../../../api/reference/operation-schemas.ts";
import type { Operation } from "../../../calls/define-operation.ts";
import { findStep } from "../../../systems/index.ts";
import { samples } from "../../../systems/samples.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import { block, shortPath } from "../page-parts.ts";
import { commandOf } from "./command-sample.ts";
import { pathValue, quoted, withPlaceholders } from "./placeholders.ts";

/** The same call with curl, the TypeScript client and the command line. */
export const samplesOf = (operation: Operation, baseUrl: string): Html =>
  html`<div class="samples">
${sample("curl", curlOf(operation, baseUrl), operation)}
${operation.needs === "nobody" ? null : sample("TypeScript", typeScriptOf(operation), operation)}
${commandOf(operation) === null ? null : sample("CLI", commandOf(operation) ?? "", operation)}
</div>`;

const sample = (language: string, text: string, operation: Operation): Html =>
  block(language, withBlanks(text, systemOf(operation)), `sample ${language === "TypeScript" ? "ts" : "shell"}`);

/** A signed-in reader gets ids of their own in these. */
export function withBlanks(text: string, system: string = samples.system.id): Html {
  const parts = text.split(/<(\w+)>/).map((part, index): HtmlPart => {
    if (index % 2 === 0) return part;
    return part === "connection_id"
      ? html`<span class="blank" data-id="${part}" data-system="${system}">&lt;${part}&gt;</span>`
      : html`<span class="blank" data-id="${part}">&lt;${part}&gt;</span>`;
  });
  return html`${parts}`;
}

/** The system whose connection the sample takes. */
function systemOf(operation: Operation): string {
  const { step_id: id } = operation.example as { step_id?: string };
  return (id === undefined ? undefined : findStep(id)?.system.id) ?? samples.system.id;
}

export function curlOf(operation: Operation, baseUrl: string): string {
  const example = operation.example as Record<string, unknown>;
  const url = `${baseUrl}${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => pathValue(name, example[name]))}`;
  const authorization = needsProject(operation.needs) ? "Bearer <project_id>:<api_key>" : "Bearer :<api_key>";
  return [
    `curl -s ${quoted(url)}`,
    ...(operation.needs === "nobody" ? [] : [`  -H ${quoted(`Authorization: ${authorization}`)}`]),
    "  -H 'Content-Type: application/json'",
    `  -d ${quoted(JSON.stringify(withPlaceholders(exampleBodyOf(operation))))}`,
  ].join(" \\\n");
}

/** The names of the client: `auth/invite/create` is `invites.create`. */
export function clientNames(operation: Operation): string[] {
  const words = shortPath(operation)
    .split("/")
    .filter((word) => !word.startsWith("{"));
  const [first = "", ...rest] = words[0] === "auth" ? words.slice(1) : words;
  return [first === "invite" ? "invites" : first, ...rest].map(camel);
}

const camel = (word: string): string => word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export function typeScriptOf(operation: Operation): string {
  const example = operation.example as Record<string, unknown>;
  const ids = namesInPath(operation).map((name) => JSON.stringify(pathValue(name, example[name])));
  const body = withPlaceholders(exampleBodyOf(operation));
  const input = Object.keys(body).length === 0 ? [] : [literal(body, 0)];
  const call = `signalbox.${clientNames(operation).join(".")}(${[...ids, ...input].join(", ")})`;
  const isList = /(?:^|\/)list$/.test(shortPath(operation));
  return isList ? `for await (const record of ${call}) {\n  console.log(record);\n}` : `const result = await ${call};`;
}

const lineMax = 68;

/** A value as TypeScript, on one line if it is short. */
function literal(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => literal(each, depth + 1))
    : Object.entries(value).map(([name, inner]) => `${keyOf(name)}: ${literal(inner, depth + 1)}`);
  if (parts.length === 0) return isList ? "[]" : "{}";
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (line.length <= lineMax && !line.includes("\n")) return line;
  const indent = "  ".repeat(depth + 1);
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${parts.map((part) => `${indent}${part},`).join("\n")}\n${"  ".repeat(depth)}${close}`;
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
