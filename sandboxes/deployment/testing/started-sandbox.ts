import { expect } from "vitest";
import { serveSandbox } from "../../server/serve-sandbox.ts";
import { createDeploymentSandbox } from "../deployment.ts";
import { checkFields } from "./check-fields.ts";
import { errorFields, fieldLists } from "./field-lists.ts";

export interface Credentials {
  token: string;
  developer_token: string;
  viewer_token: string;
  team_token: string;
  project_token: string;
  projects_token: string;
  outsider_token: string;
  expired_token: string;
  team_id: string;
  team_slug: string;
  oauth: { client_id: string; client_secret: string; slug: string; install_url: string; redirect_uri: string };
  sign_in: { issuer: string; client_id: string; client_secret: string };
}

export interface Ids {
  project_id: string;
  unlinked_project_id: string;
  personal_project_id: string;
  deployment_id: string;
  failed_deployment_id: string;
  other_team_id: string;
  user_id: string;
  domain: string;
  env_id: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into bodies whose fields the field lists have checked.
  body: any;
  text: string;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  token?: string | null;
  headers?: Record<string, string>;
  /** Without the team's id in the query. */
  isUnscoped?: boolean;
}

/** A running sandbox with what a test wants of it: calls in the team's scope, the control API, the clock. */
export async function startSandbox() {
  const served = await serveSandbox(createDeploymentSandbox, 0);
  const { url } = served;
  const described = (await (await fetch(`${url}/_sandbox`)).json()) as { credentials: Credentials; ids: Ids };
  const { credentials, ids } = described;

  async function call(path: string, options: CallOptions = {}): Promise<Answer> {
    const { method = "GET", body, token = credentials.token, headers = {}, isUnscoped = false } = options;
    const scope = isUnscoped ? "" : `${path.includes("?") ? "&" : "?"}teamId=${credentials.team_id}`;
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}${scope}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  const control = async (action: string, body: object = {}) => {
    const response = await fetch(`${url}/_sandbox/${action}`, { method: "POST", body: JSON.stringify(body) });
    expect(response.status).toBe(200);
  };

  return {
    url,
    credentials,
    ids,
    call,
    advance: (seconds: number) => control("clock", { advance_seconds: seconds }),
    limit: (limits: object) => control("limits", limits),
    reset: () => control("reset"),
    fault: (fault: object) => control("faults", fault),
    stop: () => served.stop(),
  };
}

export type StartedSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** A `fetch` for the vendor's clients that holds every answer against the field lists on its way. */
export async function checkedFetch(input: Request | string | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const response = await fetch(request);
  const path = new URL(request.url).pathname.replace(/^\/v\d+/, "");
  expect(response.headers.get("x-ratelimit-remaining"), `rate headers of ${path}`).toMatch(/^\d+$/);
  if (response.status === 204) return response;
  if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
  const body: unknown = await response.clone().json();
  const entry = fieldLists.find(([method, pattern]) => method === request.method && pattern.test(path));
  const shape = response.status >= 400 ? errorFields : entry?.[2];
  if (!shape) throw new Error(`There is no field list for ${request.method} ${path}.`);
  expect(checkFields(body, shape), `${request.method} ${path}`).toEqual([]);
  return response;
}
