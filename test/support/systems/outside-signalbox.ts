import type { TestSandbox } from "./vault.ts";

/** What a system does without a call of ours: it carries a request out late, or a person uses its own pages. */

async function send(url: string, token: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`The system refuses it: ${await response.text()}`);
}

export async function writeLeads({ url, credentials }: TestSandbox, body: object): Promise<void> {
  const { client_id, client_secret } = credentials;
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  const response = await fetch(`${url}/identity/oauth/token?${query}`);
  const { access_token } = (await response.json()) as { access_token: string };
  await send(`${url}/rest/v1/leads.json`, access_token, body);
}

export const writeProperty = ({ url }: TestSandbox, body: object): Promise<void> =>
  send(`${url}/v1beta/properties`, "ya29.sandbox-administrator", body);

export const writeKeyEvent = ({ url }: TestSandbox, property: string, body: object): Promise<void> =>
  send(`${url}/v1beta/properties/${property}/keyEvents`, "ya29.sandbox-administrator", body);
