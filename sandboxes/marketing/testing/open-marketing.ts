import { expect } from "vitest";
import { serveSandbox } from "../../server/serve-sandbox.ts";
import { createMarketingSandbox } from "../marketing.ts";
import { expectShape, shapes } from "./shapes.ts";

export type Row = Record<string, unknown>;

/** The members of an envelope that tests look at. */
export interface Envelope {
  success: boolean;
  result: Row[];
  errors: { code: string; message: string }[];
  warnings: string[];
  nextPageToken: string;
  moreResult: boolean;
}

export interface Credentials {
  client_id: string;
  client_secret: string;
}

interface Description {
  system: string;
  credentials: Credentials & { rest_endpoint: string; read_only: Credentials; no_permissions: Credentials };
  ids: Record<string, number> & { lead_email: string; duplicate_email: string; email_name: string };
  limits: Record<string, unknown>;
}

interface Sending {
  json?: unknown;
  form?: Record<string, string> | string;
  /** A body as it is, with its type. */
  raw?: [type: string, body: string];
  token?: string;
}

/** A marketing sandbox of its own, with the rate limit lifted: most tests are about something else. */
export async function openMarketing() {
  const served = await serveSandbox(createMarketingSandbox, 0);
  const { url } = served;

  async function control<Answer = unknown>(path: string, body?: unknown): Promise<Answer> {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${url}/_sandbox${path}`, init)).json() as Promise<Answer>;
  }

  const description = await control<Description>("");
  await control("/limits", { rate_calls: null });

  function askToken({ client_id, client_secret }: Credentials = description.credentials): Promise<Response> {
    const query = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    return fetch(`${url}/identity/oauth/token?${query}`);
  }

  async function tokenOf(credentials?: Credentials): Promise<string> {
    return ((await (await askToken(credentials)).json()) as { access_token: string }).access_token;
  }

  let token = await tokenOf();

  async function send(
    method: string,
    path: string,
    { json, form, raw, token: other }: Sending = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${other ?? token}` };
    const body = raw?.[1] ?? (json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json));
    if (body !== undefined) {
      headers["content-type"] =
        raw?.[0] ?? (json === undefined ? "application/x-www-form-urlencoded" : "application/json");
    }
    return fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  }

  /** Sends a call and checks the envelope around whatever comes back. */
  async function call(method: string, path: string, sending?: Sending): Promise<Envelope> {
    const response = await send(method, path, sending);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
    const envelope = (await response.json()) as Envelope;
    expectEnvelope(path, envelope);
    return envelope;
  }

  return {
    url,
    description,
    ids: description.ids,
    control,
    askToken,
    tokenOf,
    send,
    call,
    get: (path: string) => call("GET", path),
    post: (path: string, json: unknown) => call("POST", path, { json }),
    /** The code of the refusal, which must be the only one. */
    async codeOf(method: string, path: string, sending?: Sending): Promise<string> {
      const { success, errors } = await call(method, path, sending);
      expect(success).toBe(false);
      expect(errors).toHaveLength(1);
      return errors[0]?.code ?? "";
    },
    /** A token for the activities that are still to come. */
    async activitiesFromNow(): Promise<string> {
      const { now } = await control<{ now: string }>("/clock", { advance_seconds: 0 });
      return (await call("GET", `/rest/v1/activities/pagingtoken.json?sinceDatetime=${now}`)).nextPageToken;
    },
    setLimits: (limits: object) => control("/limits", limits),
    advance: (seconds: number) => control("/clock", { advance_seconds: seconds }),
    async reset() {
      await control("/reset", {});
      await control("/limits", { rate_calls: null });
    },
    async renewToken() {
      token = await tokenOf();
    },
    stop: () => served.stop(),
  };
}

export type OpenMarketing = Awaited<ReturnType<typeof openMarketing>>;

/** Lead Database: `errors` only on failure. Assets: `errors` and `warnings` always, `result` never empty. */
function expectEnvelope(path: string, envelope: Envelope): void {
  if (!envelope.success) {
    const isGateway = /^6\d\d$/.test(envelope.errors[0]?.code ?? "");
    const isAsset = path.startsWith("/rest/asset/") && !isGateway;
    expectShape(envelope, isAsset ? shapes.assetFailure : shapes.leadFailure);
    return;
  }
  const { result, ...rest } = envelope;
  if (path.startsWith("/rest/asset/")) {
    expectShape(rest, { success: "boolean", errors: ["string"], requestId: "requestId", warnings: ["string"] });
    expect(envelope.errors).toEqual([]);
    expect(result === undefined).toBe(envelope.warnings.length > 0);
  } else {
    const paging = { "nextPageToken?": "string", "moreResult?": "boolean" };
    expectShape(rest, { requestId: "requestId", success: "boolean", ...paging });
  }
}
