import { createHash } from "node:crypto";
import { expect } from "vitest";
import { startSandbox, testTime } from "./sandbox-client.ts";

export const read = "https://www.googleapis.com/auth/analytics.readonly";
export const edit = "https://www.googleapis.com/auth/analytics.edit";
const redirectUri = "http://127.0.0.1:9/callback";
const verifier = "a-verifier-that-is-long-enough-to-be-one-of-them";
const challenge = createHash("sha256").update(verifier).digest("base64url");

interface TokenAnswer {
  status: number;
  body: Record<string, string> & { expires_in?: number };
}

/** A sandbox, and an application that signs people in to it. */
export async function startSignIn() {
  const sandbox = await startSandbox();
  const { credentials } = (await sandbox.control("")) as {
    credentials: {
      oauth: { client_id: string; client_secret: string; refresh_tokens: Record<string, string> };
      service_account: Record<string, string>;
    };
  };
  const { oauth: client, service_account: serviceAccount } = credentials;
  const clientForm = { client_id: client.client_id, client_secret: client.client_secret };

  const request = (more: Record<string, string> = {}) =>
    new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: `${read} ${edit}`,
      state: "state-1",
      access_type: "offline",
      prompt: "consent",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...more,
    });

  /** A person answers the consent page; gives where that leads. */
  async function decide(
    more: Record<string, string> = {},
    granted = [read, edit],
    person = "administrator",
    decision = "allow",
  ): Promise<URL> {
    const form = request(more);
    for (const scope of granted) form.append("granted", scope);
    form.set("person", person);
    form.set("decision", decision);
    const response = await fetch(`${sandbox.url}/o/oauth2/v2/auth/decision`, {
      method: "POST",
      body: form,
      redirect: "manual",
    });
    expect(response.status).toBe(302);
    return new URL(response.headers.get("location") ?? "");
  }

  async function token(form: Record<string, string>, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    const body = new URLSearchParams(form);
    const response = await fetch(`${sandbox.url}/token`, { method: "POST", body, headers });
    return { status: response.status, body: (await response.json()) as TokenAnswer["body"] };
  }

  return {
    sandbox,
    client,
    clientForm,
    serviceAccount,
    request,
    decide,
    token,
    exchange: (code: string | null, more: Record<string, string> = {}) =>
      token({
        grant_type: "authorization_code",
        code: code ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...clientForm,
        ...more,
      }),
    refresh: (refreshToken: string) =>
      token({ grant_type: "refresh_token", refresh_token: refreshToken, ...clientForm }),
    revoke: (value: string) =>
      fetch(`${sandbox.url}/revoke`, { method: "POST", body: new URLSearchParams({ token: value }) }),
    readProperty: async (accessToken: string | undefined) =>
      (await sandbox.call("GET", "/v1beta/properties/1000", undefined, accessToken ?? "")).status,
    async reset() {
      await sandbox.control("/reset", {});
      await sandbox.control("/clock", { now: testTime });
    },
  };
}

export type SignInClient = Awaited<ReturnType<typeof startSignIn>>;
