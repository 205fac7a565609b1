/**
 * A judge that nobody here wrote: the vendor's own published description of its API, as a table of facts. It says of a
 * request whether the vendor knows its method and path, each name in its query, and each member of its body with its
 * type.
 */
export interface VendorShapes {
  /** The public document that the table was derived from. */
  source: string;
  /** Query parameters of every operation. */
  everywhere: Readonly<Record<string, string>>;
  operations: readonly VendorOperation[];
  /**
   * Members by schema: a type, then `required` or `output`. Types end with `[]` for lists and with `?` if null is taken;
   * `a|b` is a choice of words, `a/b` of types.
   */
  schemas: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface VendorOperation {
  /** The API of the system, where it has several. */
  api?: string;
  /** Method and path; `*` is one segment, or a part of one before a colon. */
  call: string;
  query?: Readonly<Record<string, string>>;
  /** The schema of its body: JSON, or a form. */
  body?: string;
  /** For what the document does not describe: the source that shows it. */
  source?: string;
}

export interface SentRequest {
  api?: string | undefined;
  method: string;
  /** As sent, without the query. */
  path: string;
  query: URLSearchParams;
  /** A parsed body, or undefined. */
  body?: unknown;
}

/** Everything that the vendor does not know of a request; empty if it knows all of it. */
export function judge(shapes: VendorShapes, sent: SentRequest): string[] {
  const name = `${sent.method} ${sent.path}`;
  const operation = operationOf(shapes, sent);
  if (!operation) return [`${name} is no operation${sent.api ? ` of the ${sent.api} API` : ""}`];
  return [
    ...problemsOfQuery(shapes, operation, sent.query),
    ...problemsOfBody(shapes, operation, sent.method, sent.body),
  ].map((problem) => `${name}: ${problem}`);
}

export function operationOf(shapes: VendorShapes, { api, method, path }: SentRequest): VendorOperation | undefined {
  const call = `${method} ${decodeURIComponent(path)}`;
  return shapes.operations.find(
    (operation) => (api === undefined || operation.api === api) && patternOf(operation.call).test(call),
  );
}

const patternOf = (call: string): RegExp =>
  new RegExp(`^${call.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/:]+")}$`);

function problemsOfQuery(shapes: VendorShapes, operation: VendorOperation, query: URLSearchParams): string[] {
  const wrong = [...query].flatMap(([name, value]) => {
    const type = operation.query?.[name] ?? shapes.everywhere[name];
    if (type === undefined) return [`the query has no ${name}`];
    return isText(value, type.split(" ")[0] ?? "") ? [] : [`${name}=${value} is no ${type}`];
  });
  const missing = Object.entries(operation.query ?? {}).filter(
    ([name, type]) => / required$/.test(type) && !query.has(name),
  );
  return [...wrong, ...missing.map(([name]) => `${name} is required`)];
}

/** In a query and in a form everything is text. Lists are repeated, or have commas. */
function isText(value: string, type: string): boolean {
  if (type.includes("/")) return type.split("/").some((each) => isText(value, each));
  if (type.endsWith("[]")) return value.split(",").every((each) => isText(each, type.slice(0, -2)));
  if (type === "boolean") return value === "true" || value === "false";
  if (/^int/.test(type)) return /^-?\d+$/.test(value);
  if (type === "double" || type === "number") return value.trim() !== "" && Number.isFinite(Number(value));
  return !type.includes("|") || type.split("|").includes(value);
}

function problemsOfBody(
  shapes: VendorShapes,
  { body: schema }: VendorOperation,
  method: string,
  body: unknown,
): string[] {
  if (body === undefined) return [];
  if (schema === undefined) {
    return isEmpty(body) ? [] : ["it has no body"];
  }
  return problemsOf(shapes, schema, body, "body", method !== "PATCH");
}

const isEmpty = (body: unknown): boolean => typeof body === "object" && body !== null && Object.keys(body).length === 0;

function problemsOf(shapes: VendorShapes, type: string, value: unknown, path: string, isWhole: boolean): string[] {
  if (type.endsWith("?")) return value === null ? [] : problemsOf(shapes, type.slice(0, -1), value, path, isWhole);
  if (type.includes("/")) {
    const found = type.split("/").map((each) => problemsOf(shapes, each, value, path, isWhole));
    return found.find((problems) => problems.length === 0) ?? found.flat();
  }
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((each, at) => problemsOf(shapes, type.slice(0, -2), each, `${path}[${at}]`, isWhole));
  }
  const members = shapes.schemas[type];
  if (!members) return isScalar(value, type) ? [] : [`${path} is no ${type}: ${JSON.stringify(value)}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no ${type}`];
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  const wrong = given.flatMap(([name, each]) => {
    const [memberType = "", rule] = (members[name] ?? "").split(" ");
    if (memberType === "") return [`${path} has no ${name}`];
    if (rule === "output") return [`${path}.${name} is filled in by the vendor`];
    return problemsOf(shapes, memberType, each, `${path}.${name}`, isWhole);
  });
  const names = given.map(([name]) => name);
  const missing = isWhole
    ? Object.entries(members).filter(([name, type]) => type.endsWith(" required") && !names.includes(name))
    : [];
  return [...wrong, ...missing.map(([name]) => `${path}.${name} is required`)];
}

function isScalar(value: unknown, type: string): boolean {
  switch (type) {
    case "any":
      return true;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "boolean":
      return typeof value === "boolean";
    case "int32":
      return Number.isInteger(value);
    // The vendors take long numbers as text too.
    case "int64":
      return Number.isInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value));
    case "double":
    case "number":
      return typeof value === "number";
    default:
      return typeof value === "string" && (!type.includes("|") || type.split("|").includes(value));
  }
}
