import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "vitest";
import { startApp, type TestAnswer, type TestApp, type TestPerson } from "../app.ts";
import { serve } from "../processes/local-servers.ts";
import type { StoreKind } from "../stores.ts";

export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

export const rogueToken = "canary-token-of-the-test";

/** A system that misbehaves as scripted, and a connection to it. */
export interface Rogue {
  app: TestApp;
  owner: TestPerson;
  project: string;
  origin: string;
  connectionId: string;
  says(handle: Handle): void;
  /** The requests received, without sign-ins: `GET /v9/projects/web`. */
  arrived: string[];
  call(operation: string, body?: unknown): Promise<TestAnswer>;
  api(input: Record<string, unknown>, more?: Record<string, unknown>): Promise<TestAnswer>;
}

type More = Pick<NonNullable<Parameters<typeof startApp>[1]>, "runMemory" | "compute">;

export const startRogue = (
  kind: StoreKind = "sqlite",
  system: "deployment" | "marketing" = "deployment",
  more: More = {},
) => (system === "deployment" ? startRogueDeployment(kind, more) : startRogueMarketing(kind, more));

const startRogueDeployment = (kind: StoreKind, more: More): Promise<Rogue> =>
  start(kind, more, "deployment", { token: rogueToken }, (url) => {
    if (url.startsWith("/v2/user"))
      return { user: { id: "u_1", email: "rogue@example.com", username: "rogue", name: "Rogue" } };
    return url.startsWith("/v2/teams") ? { teams: [], pagination: { count: 0, next: null, prev: null } } : null;
  });

const startRogueMarketing = (kind: StoreKind, more: More): Promise<Rogue> =>
  start(kind, more, "marketing", { client_id: "id-of-the-test", client_secret: "secret-of-the-test" }, (url) =>
    url.startsWith("/identity/")
      ? { access_token: rogueToken, token_type: "bearer", expires_in: 3599, scope: "rogue@example.com" }
      : null,
  );

async function start(
  kind: StoreKind,
  more: More,
  system: "deployment" | "marketing",
  credentials: Record<string, string>,
  signIn: (url: string) => unknown,
): Promise<Rogue> {
  let handle: Handle = answerJson(200, { success: true, result: [] });
  const arrived: string[] = [];
  const origin = await serve(async (request, response) => {
    const known = signIn(request.url ?? "");
    if (known) return answerJson(200, known)(request, response);
    arrived.push(`${request.method} ${request.url}`);
    await handle(request, response);
  });
  const app = await startApp(kind, { ...more, privateOrigins: [origin] });
  const owner = await app.person("owner@example.com");
  const project = await app.project(owner);
  const call: Rogue["call"] = (operation, body = {}) => app.call(operation, body, { as: owner, project });
  const connected = await call("connections/connect", { system, instance: origin, credentials });
  expect(connected.text).toContain("con_us_");
  const connectionId = connected.body.connection_id as string;
  arrived.splice(0);
  const standard = system === "deployment" ? { path: "/v9/projects/web" } : { endpoint: "/rest/v1/leads.json" };
  return {
    app,
    owner,
    project,
    origin,
    connectionId,
    says: (next) => {
      handle = next;
    },
    arrived,
    call,
    api: (input, more = {}) =>
      call(`steps/${system}_api_call/run`, { connection_id: connectionId, input: { ...standard, ...input }, ...more }),
  };
}

export const answerJson = (status: number, body: unknown, headers: Record<string, string> = {}): Handle => {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
};

export const redirectTo =
  (location: string, status = 302): Handle =>
  (_request, response) => {
    response.writeHead(status, { location });
    response.end();
  };
