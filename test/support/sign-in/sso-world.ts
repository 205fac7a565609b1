import { expect } from "vitest";
import { operatorScope } from "../../../src/access/operator.ts";
import { readDomain, verifyAsOperator } from "../../../src/identity/sso/domains.ts";
import type { TestPerson } from "../app.ts";
import type { StoreKind } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import { type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";

/** The response that a browser received. */
export interface BrowserAnswer {
  status: number;
  location: string | null;
  text: string;
  /** The code on a refusal page. */
  code: string | null;
  headers: Record<string, unknown>;
}

/** A browser without a screen: it keeps cookies, and follows redirects only on request. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #app: Team["app"];

  constructor(app: Team["app"]) {
    this.#app = app;
  }

  async get(url: string | URL): Promise<BrowserAnswer> {
    const path = typeof url === "string" ? url : url.pathname + url.search;
    return this.#read(await this.#app.inject({ method: "GET", url: path, headers: this.#headers() }));
  }

  /** A form of another site: sent without cookies. */
  async post(path: string, form: Record<string, string>): Promise<BrowserAnswer> {
    const headers = { "content-type": "application/x-www-form-urlencoded", "user-agent": "test browser" };
    const payload = String(new URLSearchParams(form));
    return this.#read(await this.#app.inject({ method: "POST", url: path, headers, payload }));
  }

  get session(): string | undefined {
    return this.cookies.get("__Host-sb_session_us");
  }

  #headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { "user-agent": "test browser", ...(cookie === "" ? {} : { cookie }) };
  }

  #read(response: Awaited<ReturnType<TestBrowser["inject"]>>): BrowserAnswer {
    const set = response.headers["set-cookie"];
    for (const line of set === undefined ? [] : [set].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(String(line)) ?? [];
      if (/Max-Age=0/.test(String(line))) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: response.statusCode,
      location: response.headers.location === undefined ? null : String(response.headers.location),
      text: response.body,
      code: /<dt>Code<\/dt><dd><code>(\w+)<\/code>/.exec(response.body)?.[1] ?? null,
      headers: response.headers,
    };
  }

  inject(options: { method: "GET"; url: string }) {
    return this.#app.inject(options);
  }
}

export interface SsoWorld extends Team {
  idp: ScriptedProvider;
  providerId: string;
  browser(): TestBrowser;
  /** From the first click to the final response, as the provider's current user. */
  signIn(browser?: TestBrowser, query?: string): Promise<BrowserAnswer & { browser: TestBrowser }>;
  /** Verifies a domain for the organization, like the operator. */
  verify(domain: string, owner?: TestPerson): Promise<string>;
  /** Raw rows of a table. */
  rows(table: "sessions" | "identities" | "users" | "sso_flows"): Promise<Record<string, unknown>[]>;
  auditActions(): Promise<string[]>;
}

/** A team whose organization has a scripted OpenID provider. */
export async function startSsoWorld(kind: StoreKind, wanted: Record<string, unknown> = {}): Promise<SsoWorld> {
  const idp = await startScriptedProvider();
  const team = await startTeam(kind, { privateOrigins: [idp.issuer] });
  const provider = {
    kind: "oidc",
    label: "Scripted",
    issuer: idp.issuer,
    client_id: idp.clientId,
    client_secret: idp.clientSecret,
    ...wanted,
  };
  const made = await team.call("single_sign_on/create", provider, { as: team.owner });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  const providerId = made.body.provider_id as string;
  const world: SsoWorld = {
    ...team,
    idp,
    providerId,
    browser: () => new TestBrowser(team.app),
    async signIn(browser = world.browser(), query = `provider=${providerId}`) {
      const sent = await browser.get(`/sso/start?${query}`);
      if (sent.status !== 302 || sent.location === null) return { ...sent, browser };
      return { ...(await browser.get(idp.agree(sent.location))), browser };
    },
    async verify(name, owner = team.owner) {
      const domain = readDomain(name);
      if (domain === null) throw new Error(`${name} is no domain.`);
      const scope = operatorScope(team.store, "us", team.now);
      return (await verifyAsOperator(scope, owner.organizationId, domain)).id;
    },
    rows: (table) => team.store.query(`select * from ${table} order by id`),
    async auditActions() {
      const rows = await team.store.query<{ action: string }>(
        "select action from audit_log where organization_id = $1 order by seq",
        [team.owner.organizationId],
      );
      return rows.map(({ action }) => action);
    },
  };
  return world;
}
