import inject from "light-my-request";
import { inject as provided } from "vitest";
import { readEmail } from "../../src/access/email.ts";
import { createAccountAsOperator, operatorScope } from "../../src/access/operator.ts";
import type { PermissionsOnTheWire } from "../../src/access/permissions.ts";
import { operations } from "../../src/api/index.ts";
import type { RegionContext } from "../../src/calls/region-context.ts";
import { type ConsoleFile, readConsole } from "../../src/http/console/console-files.ts";
import { createEdge, type Edge } from "../../src/http/edge/edge.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { createServer } from "../../src/http/server.ts";
import { createRequestLog } from "../../src/kernel/log.ts";
import { createMcp } from "../../src/mcp/create-mcp.ts";
import { createScim } from "../../src/scim/create-scim.ts";
import type { Store } from "../../src/store/db.ts";
import { openTestRegion, type RegionOptions } from "./region.ts";
import { cleanUpLater, type StoreKind } from "./stores.ts";

export { baseUrls, testSeal } from "./region.ts";

/** Someone with an account, as a test sees them. */
export interface TestPerson {
  email: string;
  userId: string;
  organizationId: string;
  apiKey: string;
}

export interface TestAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  body: any;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
}

export interface CallOptions {
  /** Whose key; or give the whole header as `authorization`. */
  as?: TestPerson;
  project?: string;
  authorization?: string | undefined;
  headers?: Record<string, string>;
  /** The address the call comes from. */
  from?: string;
}

export interface TestApp {
  app: ReturnType<typeof createServer>;
  store: Store;
  context: RegionContext;
  edge: Edge;
  /** What the DNS says, as far as this app asks it: the TXT records of domains. */
  txtRecords: Map<string, string[]>;
  /** The lines logged so far. */
  logged: string[];
  /** Moves the clock that rules see. */
  advance(seconds: number): void;
  now(): Date;
  /** An account in the organization of `colleague`, or in a new one of its own. */
  person(email: string, colleague?: TestPerson): Promise<TestPerson>;
  /** POST /latest/<operation>, in memory. */
  call(operation: string, body: unknown, options?: CallOptions): Promise<TestAnswer>;
  /** A project of the person's organization, made by them; answers its id. */
  project(owner: TestPerson, name?: string): Promise<string>;
}

export const permissions = (...actions: string[]): PermissionsOnTheWire => ({
  items: { platformDefault: { actions: Object.fromEntries(actions.map((action) => [action, true])) } },
});

export interface AppOptions extends RegionOptions {
  /** Where a test wants to come to the end of what one machine takes. */
  edge?: Partial<Parameters<typeof createEdge>[0]>;
  /** Shorter ones than anybody would wait for. */
  timeLimits?: Parameters<typeof createServer>[0]["timeLimits"];
}

/** One region over a real store, called in memory, with a clock of its own. Rate limits are off unless a test wants them. */
export async function startApp(kind: StoreKind, options: AppOptions = {}): Promise<TestApp> {
  const { context, ownUrls, txtRecords, logged, advance } = await openTestRegion(kind, options);
  const { region, store, now, log } = context;
  const output = { write: (line: string) => void logged.push(line) };
  const edge = createEdge({
    connectionsMax: 10_000,
    connectionsPerAddressMax: 1_000,
    trustedProxies: [],
    ...options.edge,
  });
  const app = createServer({
    context,
    baseUrls: ownUrls,
    log,
    requestLog: createRequestLog("debug", output),
    metrics: createMetrics(),
    edge,
    trustedProxies: [],
    ...(options.timeLimits && { timeLimits: options.timeLimits }),
    notReady: async () => null,
    consoleFiles: builtConsole,
    scim: createScim({ context, baseUrl: ownUrls[region] }),
    assistants: createMcp({ context, baseUrl: ownUrls[region] }),
  });
  let hasStarted = false;
  app.addHook("onReady", async () => {
    hasStarted = true;
  });
  cleanUpLater(async () => {
    // Before it can be closed it would start, which takes longer than most tests.
    if (hasStarted) await app.close();
    else context.rooms.webhooks.live.close();
  });

  async function call(operation: string, body: unknown, wanted: CallOptions = {}): Promise<TestAnswer> {
    const authorization =
      wanted.authorization ?? (wanted.as ? `Bearer ${wanted.project ?? ""}:${wanted.as.apiKey}` : undefined);
    const url = `/latest/${operation}`;
    const wish = {
      method: "POST",
      url,
      ...(wanted.from === undefined ? {} : { remoteAddress: wanted.from }),
      headers: {
        "content-type": "application/json",
        ...(authorization === undefined ? {} : { authorization }),
        ...wanted.headers,
      },
      payload: typeof body === "string" ? body : JSON.stringify(body),
    } as const;
    const response = isServedAhead(url)
      ? await inject((request, reply) => void app.server.emit("request", request, reply), wish)
      : await app.inject(wish);
    const isJson = String(response.headers["content-type"]).includes("json");
    return {
      status: response.statusCode,
      body: isJson ? JSON.parse(response.body) : response.body,
      text: response.body,
      headers: response.headers,
    };
  }

  return {
    app,
    store,
    context,
    txtRecords,
    edge,
    logged,
    advance,
    now,
    async person(address, colleague) {
      const email = readEmail(address);
      if (!email) throw new Error(`${address} is no address.`);
      const { user, apiKey } = await createAccountAsOperator(operatorScope(store, region, now), {
        email,
        organizationId: colleague?.organizationId,
      });
      return { email: address, userId: user.id, organizationId: user.organizationId, apiKey };
    },
    call,
    async project(owner, name = "A project") {
      const wanted = { name, description: "", organization_id: owner.organizationId };
      const { status, body, text } = await call("projects/create", wanted, { as: owner });
      if (status !== 200) throw new Error(`No project: ${text}`);
      return body.project_id;
    },
  };
}

/** The usual spellings of paths without an id, or with one before the last word: the server serves these before its framework starts. */
const servedAhead = operations
  .filter(({ path }) => /^[^{]+(?:\/\{\w+\}\/\w+)?$/.test(path))
  .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/, "[\\w-]{1,128}")}$`));
const isServedAhead = (url: string): boolean => servedAhead.some((shape) => shape.test(url));

let consoleFiles: Map<string, ConsoleFile> | null = null;

/** The console as it is built before the tests; read when a page is first asked for. */
const builtConsole = (): Map<string, ConsoleFile> => {
  consoleFiles ??= readConsole(provided("consoleFolder"));
  return consoleFiles;
};
