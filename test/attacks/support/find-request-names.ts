import { eventSenders } from "../../../src/systems/index.ts";
import { sourceFiles } from "./check-expressions.ts";
import { nodesIn } from "./syntax-tree.ts";

/** What the server reads of a request before its body, found in the source: the names of headers, cookies and query parameters. */

/** Libraries read these. What says how long a body is, is not here: with another one, there is no request. */
const ofLibraries = ["host", "accept-language", "expect", "range", "x-forwarded-for", "x-forwarded-proto"];
/** What `Headers` has by itself, and what only answers have. */
const otherThanHeaders = [
  "get",
  "set",
  "name",
  "set-cookie",
  "www-authenticate",
  "idempotency-replayed",
  "ratelimit",
  "ratelimit-policy",
];
const aboutLength = ["content-length", "connection", "transfer-encoding"];

const facing = (file: string): boolean => /^src\/(?:http|mcp|scim)\//.test(file);

let headers: readonly string[] | null = null;
export function headersRead(): readonly string[] {
  headers ??= [
    ...new Set([
      ...ofLibraries,
      ...eventSenders.map(({ signature }) => signature.header),
      ...sourceFiles()
        .filter(({ file }) => facing(file))
        .flatMap(({ file, text }) => headersReadIn(file, text)),
    ]),
  ].filter((name) => ![...otherThanHeaders, ...aboutLength].includes(name));
  return headers;
}

interface Node {
  type: string;
  [name: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** `headers.x`, `headers["x"]`, `{ x } = headers`, `({ x }: IncomingHttpHeaders)` and `header("x")`. */
export function headersReadIn(file: string, text: string): string[] {
  const found = nodesIn(file, text, isNode).flatMap((node) => headersOf(node, text));
  return [...new Set(found.filter((name) => /^[a-z][a-z-]*$/.test(name)))].sort();
}

function headersOf(node: Node, text: string): string[] {
  if (node.type === "MemberExpression") return isHeaders(node.object) ? [nameOf(node.property)] : [];
  if (node.type === "VariableDeclarator") return isHeaders(node.init) ? namesIn(node.id) : [];
  if (node.type === "ObjectPattern")
    return sourceOf(node.typeAnnotation, text).includes("IncomingHttpHeaders") ? namesIn(node) : [];
  if (node.type !== "CallExpression" || !isNode(node.callee)) return [];
  const isHeader = node.callee.type === "MemberExpression" && nameOf(node.callee.property) === "header";
  const isOfReply = isHeader && isNode(node.callee.object) && nameOf(node.callee.object) === "reply";
  const [first] = node.arguments as unknown[];
  return isHeader && !isOfReply ? [nameOf(first)] : [];
}

/** `headers`, or a member of this name of anything. */
const isHeaders = (value: unknown): boolean =>
  isNode(value) && nameOf(value.type === "MemberExpression" ? value.property : value) === "headers";

const nameOf = (value: unknown): string => {
  if (!isNode(value)) return "";
  return value.type === "Literal" ? String(value.value) : typeof value.name === "string" ? value.name : "";
};

const namesIn = (pattern: unknown): string[] =>
  isNode(pattern) && pattern.type === "ObjectPattern"
    ? (pattern.properties as Node[]).map((property) => nameOf(property.key))
    : [];

const sourceOf = (value: unknown, text: string): string =>
  isNode(value) ? text.slice(value.start as number, value.end as number) : "";

const namesBy = (expression: RegExp, rooms: RegExp): string[] => [
  ...new Set(
    sourceFiles()
      .filter(({ file }) => rooms.test(file))
      .flatMap(({ text }) => [...text.matchAll(expression)].map((match) => match[1] as string)),
  ),
];

/** In the region us. */
let cookies: readonly string[] | null = null;
export function cookieNames(): readonly string[] {
  cookies ??= namesBy(/((?:__Host-)?sb_\w+_)\$\{region\}/g, /^src\/http\//).map((name) => `${name}us`);
  return cookies;
}

/** Query parameters of pages. */
let queries: readonly string[] | null = null;
export function queryNames(): readonly string[] {
  queries ??= [
    ...namesBy(/\b(?:query|parameters|queryOf\(request\))\.get\("(\w+)"\)/g, /^src\/(?:http|vault|identity)\//),
    // The library for OpenID Connect reads these.
    ...["response", "session_state", "scope", "unknown"],
  ];
  return queries;
}
