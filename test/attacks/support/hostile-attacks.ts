import * as z from "zod";
import { operations } from "../../../src/api/index.ts";
import { bodySchemaOf, exampleBodyOf, type JsonSchema } from "../../../src/api/reference/schemas.ts";
import { bodyBytesMaxOf } from "../../../src/calls/area-limits.ts";
import type { Operation } from "../../../src/calls/define.ts";
import { steps } from "../../../src/systems/index.ts";
import { systemOfStep } from "../../support/platform.ts";
import { pathWith } from "../../support/valid-calls.ts";
import type { Deal } from "./hostile-deal.ts";
import { bodyWith, type Place, placesIn, shapes, textOf, units } from "./hostile-values.ts";
import type { HostileRequest, HostileWorld } from "./hostile-world.ts";
import { textNear } from "./near-matches.ts";

export interface Attack extends HostileRequest {
  name: string;
}

/** What grows faster than its input shows at this size too. */
const someBytes = 128 * 1024;
/** What an address or a header may have. */
const lineBytes = 12_000;
const formBytes = 500_000;
const largeBytes = 4 * 1024 * 1024;
const mcpBytes = 1024 * 1024 - 4096;
const oauthBytes = 15 * 1024;

const namesOfShapes = Object.keys(shapes);
const jsonOf = (shape: string, bytes: number): string =>
  (shapes[shape] as (bytes: number) => string)(Math.floor(bytes));

/** Everything is there until it is deleted. */
const inOrder: readonly Operation[] = operations.toSorted(
  (a, b) => Number(endsSomething(a)) - Number(endsSomething(b)),
);
function endsSomething({ path }: Operation): boolean {
  return /\/(?:delete|remove|revoke|revoke_all|deactivate|sign_out|pause|cancel|rotate|reroll)$/.test(path);
}

/** One ordinary call of each, so that what is made when it is first needed is there. */
export const ordinaryCalls = (world: HostileWorld): HostileRequest[] => [
  ...inOrder
    .filter((operation) => !endsSomething(operation))
    .map((operation) => callOf(operation, world, JSON.stringify(baseOf(operation, world)))),
  ...["/latest/documentation", "/latest/openapi.json", "/sign-in", "/account", "/", "/sso/start?email=a"].map(
    (path) => ({
      method: "GET",
      path,
      headers: {},
    }),
  ),
];

const callOf = (operation: Operation, world: HostileWorld, body: string): HostileRequest => ({
  method: "POST",
  path: `/latest/${pathWith(operation, world.values)}`,
  headers: world.headers,
  body,
});

function baseOf(operation: Operation, { values }: HostileWorld): Record<string, unknown> {
  const example = exampleBodyOf(operation);
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, values[name] ?? value]));
}

/** Every operation: its body as a whole, and each of its fields. */
export function* attacksOnOperations(world: HostileWorld, deal: Deal): Generator<Attack> {
  for (const operation of inOrder) {
    const bytesMax = bodyBytesMaxOf(operation);
    const base = baseOf(operation, world);
    const attack = (name: string, body: string): Attack => ({
      name: `${operation.path} ${name}`,
      ...callOf(operation, world, body),
    });
    for (const shape of deal.some(namesOfShapes, 1)) {
      yield attack(`whole body, ${shape}`, bodyWith(base, ["unknown"], jsonOf(shape, bytesMax - 4096)));
    }
    for (const place of placesIn(bodySchemaOf(operation))) {
      for (const [name, body] of attacksAt(place, base, bytesMax, deal)) yield attack(name, body);
    }
  }
}

/** At one place of a body. */
function* attacksAt(
  place: Place,
  base: Record<string, unknown>,
  bytesMax: number,
  deal: Deal,
): Generator<[string, string]> {
  const most = bytesMax - JSON.stringify(base).length - 200;
  const some = Math.min(someBytes, most);
  const at = (json: string) => bodyWith(base, place.path, json);
  const named = (what: string) => `${place.path.join("/")}: ${what}`;
  for (const [index, text] of place.takesText ? textsFrom(deal).entries() : []) {
    // As long as it may be, and so long that it is refused, unless it may have all of the body.
    const longest = Math.min(text.charactersIn(most), place.charactersMax ?? Number.POSITIVE_INFINITY);
    const sizes = deal.either(index, [longest, text.charactersIn(some)]);
    for (const size of sizes) {
      yield [named(`${size} characters of ${text.name}`), at(JSON.stringify(text.make(size)))];
    }
  }
  for (const [index, shape] of deal.some(namesOfShapes, place.takesMany ? 2 : 1).entries()) {
    yield [named(shape), at(jsonOf(shape, place.takesMany && index === 0 ? most : some))];
  }
}

interface HostileText {
  name: string;
  make(characters: number): string;
  /** How long it may be, to have this size as JSON. */
  charactersIn(bytes: number): number;
}

const textsFrom = (deal: Deal): HostileText[] => [
  ...deal.some(units, 2).map((unit) => ({
    name: JSON.stringify(unit),
    make: (characters: number) => textOf(unit, characters),
    charactersIn: (bytes: number) => Math.floor((bytes / jsonBytesOf(unit)) * unit.length),
  })),
  ...deal.nearMatches(2).map((near) => ({
    name: `nearly ${near.of}, repeating ${JSON.stringify(near.unit)}`,
    make: (characters: number) => textNear(near, characters),
    charactersIn: (bytes: number) =>
      Math.floor(((bytes - jsonBytesOf(near.before + near.after)) / jsonBytesOf(near.unit)) * near.unit.length),
  })),
];

const jsonBytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Each step has fields of its own, within the `input` of one operation. */
export function* attacksOnSteps(world: HostileWorld, deal: Deal): Generator<Attack> {
  for (const step of steps) {
    const schema = z.toJSONSchema(step.input, { io: "input", unrepresentable: "any" }) as JsonSchema;
    const connection_id = world.connections[systemOfStep(step.id)];
    const request = { method: "POST", path: `/latest/steps/${step.id}/run`, headers: world.headers };
    for (const [index, place] of placesIn(schema).entries()) {
      const base = { connection_id, input: step.examples[0]?.input ?? {}, wait_seconds: 0, dry_run: index % 2 === 0 };
      const within = { ...place, path: ["input", ...place.path] };
      for (const [name, body] of attacksAt(within, base, largeBytes, deal)) {
        yield { name: `${step.id} ${name}`, ...request, body };
      }
    }
  }
}

const scimCalls: [method: string, path: string, base: Record<string, unknown>, places: Place["path"][]][] = [
  [
    "POST",
    "/scim/v2/Users",
    { userName: "a@example.com", emails: [{ value: "a@example.com" }], name: { givenName: "A" } },
    [["userName"], ["emails"], ["emails", 0], ["emails", 0, "value"], ["name"], ["externalId"], ["another"]],
  ],
  [
    "POST",
    "/scim/v2/Groups",
    { displayName: "G", members: [] },
    [["displayName"], ["members"], ["members", 0, "value"]],
  ],
  ["POST", "/scim/v2/.search", { schemas: [], filter: "x" }, [["filter"], ["attributes"], ["sortBy"]]],
  [
    "PATCH",
    "/scim/v2/Users/usr_us_0",
    { Operations: [{ op: "replace", path: "x", value: {} }] },
    [["Operations"], ["Operations", 0, "path"], ["Operations", 0, "value"]],
  ],
];

const addresses = [
  ...["/scim/v2/Users?filter=", "/scim/v2/Groups?filter=", "/scim/v2/Users?attributes=", "/scim/v2/Users?sortBy="],
  ...["/sign-in?next=", "/sso/start?email=", "/sso/start?provider=", "/sso/start?next=", "/sso/oidc/callback?code="],
  ...[
    "/oauth/callback?state=",
    "/oauth/callback?",
    "/latest/documentation?",
    "/",
    "/latest/",
    "/invite?code=",
    "/reset?token=",
  ],
];
const headerNames = [
  "authorization",
  "cookie",
  "idempotency-key",
  "content-type",
  "user-agent",
  "accept",
  "x-forwarded-for",
];

/** What is not an operation: SCIM, what providers and platforms send, pages and headers. */
export function* attacksElsewhere(world: HostileWorld, deal: Deal): Generator<Attack> {
  const scim = { "content-type": "application/scim+json", authorization: `Bearer ${world.scimToken}` };
  for (const [method, path, base, places] of scimCalls) {
    for (const place of places) {
      const own = { path: place, takesText: true, takesMany: true, charactersMax: null };
      for (const [name, body] of attacksAt(own, base, largeBytes, deal)) {
        yield { name: `${method} ${path} ${name}`, method, path, headers: scim, body };
      }
    }
  }
  for (const path of addresses) {
    for (const text of textsFrom(deal)) {
      const written = encodeURIComponent(text.make(lineBytes).toWellFormed()).slice(0, lineBytes);
      const headers = path.startsWith("/scim") ? scim : {};
      yield { name: `GET ${path}, ${text.name}`, method: "GET", path: path + written, headers };
    }
  }
  const plainUnits = units.filter((unit) => /^[\x20-\x7e]+$/.test(unit));
  for (const name of headerNames) {
    for (const unit of deal.some(plainUnits, 3)) {
      const headers = { ...world.headers, [name]: textOf(unit, lineBytes) };
      yield {
        name: `header ${name}, ${JSON.stringify(unit)}`,
        method: "POST",
        path: "/latest/auth/info",
        headers,
        body: "{}",
      };
    }
  }
  const saml = {
    method: "POST",
    path: `/sso/saml/${world.values.provider_id}/acs`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
  for (const unit of deal.some(units, 8)) {
    const text = textOf(unit, formBytes / 2).toWellFormed();
    const encoded = encodeURIComponent(Buffer.from(text).toString("base64")).slice(0, formBytes);
    yield { name: `SAML assertion of ${JSON.stringify(unit)}`, ...saml, body: `SAMLResponse=${encoded}&RelayState=x` };
    yield {
      name: `SAML form of ${JSON.stringify(unit)}`,
      ...saml,
      body: `RelayState=${encodeURIComponent(text).slice(0, formBytes)}`,
    };
  }
  for (const shape of deal.some(namesOfShapes, 4)) {
    const json = jsonOf(shape, mcpBytes);
    const headers = { ...world.headers, accept: "application/json, text/event-stream" };
    const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const mcp = { method: "POST", path: "/mcp", headers };
    yield { name: `an assistant's message, ${shape}`, ...mcp, body: json };
    const call = message(`{"name":"list_deployments","arguments":{"unknown":${json}}}`);
    yield { name: `an assistant's call, ${shape}`, ...mcp, body: call };
  }
  for (const path of ["/oauth/register", "/oauth/token", "/oauth/revoke"]) {
    for (const shape of deal.some(namesOfShapes, 1)) {
      const headers = { "content-type": "application/json" };
      const body = `{"grant_type":"refresh_token","redirect_uris":${jsonOf(shape, oauthBytes)}}`;
      yield { name: `${path}, ${shape}`, method: "POST", path, headers, body };
    }
  }
  for (const shape of deal.some(namesOfShapes, 8)) {
    const body = `{"type":"deployment.created","payload":${jsonOf(shape, largeBytes - 4096)}}`;
    const headers = { "content-type": "application/json" };
    yield { name: `an agent's webhook, ${shape}`, method: "POST", path: world.webhookPath, headers, body };
  }
}
