import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { createContext, runInContext } from "node:vm";
import { type Answer, type Check, checked, filled, send, type Target } from "./suite.ts";

/** Microsoft's suites: collections of Postman, whose assertions are scripts. */
export interface Collection {
  info: { name: string };
  item: (Folder | Request)[];
}

interface Folder {
  name: string;
  item: (Folder | Request)[];
}

interface Request {
  name: string;
  event?: { listen: string; script: { exec: string[] } }[];
  request: {
    method: string;
    url: { raw: string } | string;
    header?: { key: string; value: string }[];
    body?: { raw?: string };
  };
}

export const isCollection = (suite: object): suite is Collection => "info" in suite && "item" in suite;

/** Both are right for a PATCH (RFC 7644, 3.5.2); we return the resource, as more clients expect. */
const ofPatch = [200, 204];

export async function* runCollection(collection: Collection, { baseUrl, token }: Target): AsyncGenerator<Check> {
  const values = new Map<string, string>();
  const authorization = { authorization: `Bearer ${token}` };
  if (looksForKnown(collection)) values.set("id1", await createPerson(baseUrl, authorization));
  for (const { name, request, event = [] } of requestsIn(collection.item)) {
    // Our tokens come from the console.
    if (name === "Get Token") continue;
    const scriptOf = (listen: string) =>
      event.flatMap((each) => (each.listen === listen ? each.script.exec : [])).join("\n");
    run(scriptOf("prerequest"), values, null, "");
    const raw = typeof request.url === "string" ? request.url : request.url.raw;
    const own = (request.header ?? []).map(({ key, value }) => [key.toLowerCase(), value]);
    const body = request.body?.raw ? filledAll(request.body.raw, values) : undefined;
    const headers = { ...(body ? { "content-type": "application/json" } : {}), ...Object.fromEntries(own) };
    const answer = await send(
      request.method,
      filledAll(addressOf(raw, baseUrl), values),
      { ...headers, ...authorization },
      body,
    );
    for (const check of run(scriptOf("test"), values, answer, request.method))
      yield { ...check, name: `${name}: ${check.name}` };
  }
}

/** One of the collections looks for a person that the other one has created. */
function looksForKnown(collection: Collection): boolean {
  const text = JSON.stringify(collection);
  return text.includes("{{id1}}") && !text.includes('set(\\"id1\\"');
}

async function createPerson(baseUrl: string, authorization: Record<string, string>): Promise<string> {
  const headers = { ...authorization, "content-type": "application/scim+json" };
  const { text } = await send("POST", `${baseUrl}/Users`, headers, '{"userName":"known"}');
  return (JSON.parse(text) as { id: string }).id;
}

function* requestsIn(items: readonly (Folder | Request)[]): Generator<Request> {
  for (const item of items) {
    if ("item" in item) yield* requestsIn(item.item);
    else yield item;
  }
}

/** The collections name a server by variables; the rest of the address is theirs. */
const addressOf = (raw: string, baseUrl: string): string =>
  raw
    .replace(/^(?:\{\{Protocol\}\}|https):\/\/\{\{Server\}\}\{\{Port\}\}\/\{\{Api\}\}/, baseUrl)
    .replace("https://{{endpoint}}/scim", baseUrl);

/** Values that Postman makes up for each use. */
function filledAll(text: string, values: ReadonlyMap<string, string>): string {
  const made: Record<string, () => string> = {
    $guid: () => randomUUID(),
    $isoTimestamp: () => new Date().toISOString(),
    $randomInt: () => String(Math.floor(Math.random() * 1000)),
    $randomCountryCode: () => "DE",
  };
  const unique = () => `Q${randomUUID().slice(0, 8)}`;
  return filled(text, values).replace(/\{\{(\$\w+)\}\}/g, (_, name: string) => (made[name] ?? unique)());
}

/** Runs a script of the collection, with as much of Postman's API as it uses. */
function run(script: string, values: Map<string, string>, answer: Answer | null, method: string): Check[] {
  const checks: Check[] = [];
  const variables = {
    get: (name: string) => values.get(name),
    set: (name: string, value: unknown) => void values.set(name, String(value)),
    replaceIn: (text: string) => filledAll(text, values),
  };
  const isStatus = (expected: number) =>
    answer?.status === expected ||
    (method === "PATCH" && ofPatch.includes(expected) && ofPatch.includes(answer?.status ?? 0));
  const pm = {
    test: (name: string, check: () => void) => void checks.push(checked(name, check)),
    expect: (actual: unknown) => ({ to: expectations(actual) }),
    variables,
    environment: variables,
    collectionVariables: variables,
    response: {
      code: answer?.status,
      text: () => answer?.text,
      json: () => JSON.parse(answer?.text || "null") as unknown,
      to: {
        have: {
          status(expected: number) {
            if (!isStatus(expected)) throw new Error(`${answer?.status} instead of ${expected}: ${answer?.text}`);
          },
        },
      },
    },
  };
  const rest = checked("its script ends", () => {
    runInContext(script, createContext({ pm, console: { log() {} } }), { timeout: 5000 });
  });
  return rest.problem === null ? checks : [...checks, rest];
}

function expectations(actual: unknown) {
  const includes = (part: string) => String(actual).includes(part);
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${JSON.stringify(actual)} ${what}`);
  };
  return {
    // Lists that a script has written belong to another realm.
    eql: (expected: unknown) =>
      demand(
        isDeepStrictEqual(actual, structuredClone(expected)) || JSON.stringify(actual) === JSON.stringify(expected),
        `is not ${JSON.stringify(expected)}`,
      ),
    include: (part: string) => demand(includes(part), `does not include ${part}`),
    not: { include: (part: string) => demand(!includes(part), `includes ${part}`) },
  };
}
