import { consolePaths } from "../../../../src/http/console/console-paths.ts";
import { signInPaths } from "../../../../src/http/sign-in/serve-sign-in.ts";
import { cookieNames, headersRead, queryNames } from "../find-request-names.ts";
import type { Deal } from "./deal.ts";
import { type Attack, type HostileText, inAddress, textsFrom } from "./texts.ts";
import type { HostileRequest, HostileWorld } from "./world.ts";

/** What comes before a body: headers, cookies, the query and the path of an address. All of it may have 16 KiB. */

const headBytes = 15 * 1024;

/** A header holds no line ends, and no character beyond the first 256. */
const inHeader = (text: HostileText, bytes: number): string =>
  text
    .make(bytes)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "?")
    .slice(0, bytes);

export function* attacksOnRequestHead(world: HostileWorld, deal: Deal): Generator<Attack> {
  yield* attacksOnHeaders(world, deal);
  yield* attacksOnQueries(world, deal);
  yield* attacksOnPaths(world, deal);
}

/** One of each kind of thing that reads headers. */
const readers = (world: HostileWorld): Record<string, HostileRequest> => {
  const scim = { authorization: `Bearer ${world.scimToken}`, "content-type": "application/scim+json" };
  const assistant = { ...world.headers, accept: "application/json, text/event-stream" };
  const greeting = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const get = (path: string) => ({ method: "GET", path, headers: {} });
  return {
    "an operation": { method: "POST", path: "/latest/auth/info", headers: world.headers, body: "{}" },
    "a change": { method: "POST", path: "/latest/projects/update", headers: world.headers, body: '{"name":"A"}' },
    "signing in": {
      method: "POST",
      path: "/latest/auth/sign_in/methods",
      headers: { "content-type": "application/json" },
      body: '{"email":"a@example.com"}',
    },
    "an assistant": { method: "POST", path: "/mcp", headers: assistant, body: greeting },
    "a directory": { method: "GET", path: `/scim/v2/Users/${world.scimUser}`, headers: scim },
    "an event": {
      method: "POST",
      path: world.webhookPath,
      headers: { "content-type": "application/json" },
      body: "{}",
    },
    "single sign-on": get(`/sso/start?provider=${world.samlProvider}`),
    "a consent": get("/oauth/start?state=none"),
    "the end of a consent": get("/oauth/callback?state=none"),
    "the console": get("/projects"),
    "the documentation": get("/latest/documentation"),
  };
};

function* attacksOnHeaders(world: HostileWorld, deal: Deal): Generator<Attack> {
  const all = Object.entries(readers(world));
  const sent = (name: string, value: (text: HostileText) => string) =>
    deal.places(all, 2).flatMap(([reader, request]) =>
      textsFrom(deal).map((text) => ({
        name: `${reader}, header ${name}: ${text.name}`,
        ...request,
        headers: { ...request.headers, [name]: value(text) },
      })),
    );
  for (const name of headersRead()) {
    yield* sent(name, (text) => `${startOf[name] ?? ""}${inHeader(text, headBytes)}`);
  }
  for (const cookie of cookieNames()) yield* sent("cookie", (text) => `${cookie}=${inHeader(text, headBytes)}`);
}

/** Without these, the rest is not read. */
const startOf: Record<string, string> = { authorization: "Bearer ", "content-type": "application/json;" };

function* attacksOnQueries(world: HostileWorld, deal: Deal): Generator<Attack> {
  const scim = { authorization: `Bearer ${world.scimToken}` };
  const get = (name: string, path: string, headers = {}): Attack => ({
    name: `GET ${name}`,
    method: "GET",
    path,
    headers,
  });
  const pages = ["/sso/start", "/sso/oidc/callback", `/sso/saml/${world.samlProvider}/finish`, "/oauth/start"];
  for (const name of queryNames()) {
    for (const page of deal.places([...pages, "/oauth/callback"], 2)) {
      for (const text of textsFrom(deal)) {
        yield get(`${page}?${name}: ${text.name}`, `${page}?${name}=${inAddress(text, headBytes)}`);
      }
    }
  }
  // A state works once, and what follows is read only with a real one.
  for (const name of queryNames().filter((each) => each !== "state")) {
    for (const text of textsFrom(deal)) {
      const prepare = async () => {
        const { body } = await world.call("connections/connect", { system: "analytics", instance: "sandbox" });
        return { path: `/oauth/callback?state=${body.connect_id}&${name}=${inAddress(text, headBytes)}` };
      };
      yield { ...get(`/oauth/callback, begun, ${name}: ${text.name}`, ""), prepare };
    }
  }
  for (const list of ["/scim/v2/Users", "/scim/v2/Groups", "/scim/v2/Schemas"]) {
    for (const name of ["filter", "attributes", "excludedAttributes", "sortBy", "sortOrder", "startIndex", "count"]) {
      for (const text of textsFrom(deal)) {
        yield get(`${list}?${name}: ${text.name}`, `${list}?${name}=${inAddress(text, headBytes)}`, scim);
      }
    }
  }
  for (const page of [
    ...signInPaths,
    "/",
    "/projects",
    "/latest/documentation",
    "/latest/openapi.json",
    "/healthz",
    "/mcp",
  ]) {
    for (const text of textsFrom(deal)) yield get(`${page}?${text.name}`, `${page}?${inAddress(text, headBytes)}`);
  }
}

function* attacksOnPaths(world: HostileWorld, deal: Deal): Generator<Attack> {
  const [, , , agent, , token] = world.webhookPath.split("/");
  const paths = [
    ...consolePaths.filter((path) => path.includes(":")),
    ...[":all", "/:page", "/projects/p/:unknown", "/organization/:unknown", "/assets/:file"],
    ...[
      "/sign-in/script/:file",
      "/latest/:operation",
      "/latest/documentation/:page",
      "/.well-known/:file",
      "/mcp/:rest",
    ],
    ...["/sso/saml/:provider/metadata", "/sso/saml/:provider/finish", "/sso/saml/:provider/acs", "/oauth/:rest"],
    ...["/scim/v2/:type", "/scim/v2/Users/:id", "/scim/v2/Schemas/:id", "/scim/:version/Users"],
    ...[`/latest/agents/${agent}/webhook/:token`, `/latest/agents/:agent/webhook/${token}`],
  ];
  const headers = { authorization: `Bearer ${world.scimToken}` };
  for (const path of paths) {
    const [last = ""] = path.match(/:\w+(?!.*:)/) ?? [];
    for (const [index, text] of textsFrom(deal).entries()) {
      const written = path.replace(last, () => inAddress(text, headBytes)).replace(/:\w+/g, "none");
      const method = ["GET", "POST"][index % 2] as string;
      const own = path.startsWith("/scim") ? headers : {};
      yield {
        name: `${method} ${path}: ${text.name}`,
        method,
        path: `/${written}`.replace(/^\/\//, "/"),
        headers: own,
      };
    }
  }
}
