import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { findStep, type SystemId } from "../../src/systems/index.ts";
import { entityId, entryPoint, ownCertificate } from "../support/sign-in/saml-provider.ts";
import type { Answer, World } from "./example-world.ts";

/** What only the reader of a page has: addresses, ids, accounts and files. */

/** Invented addresses become those of the server, and values that only the reader has those of its first run. */
export function forReader(world: World, code: string, path: string): string {
  const { server, region } = world;
  const at = (offset: number): string => `http://127.0.0.1:${server.port + offset}`;
  return code
    .replace(/https:\/\/eu\.signalbox\.example(\.com)?/g, at(1))
    .replace(/https:\/\/(us\.signalbox\.example(\.com)?|signalbox\.example\.com|staging\.example\.com)/g, at(0))
    .replace(/\b(127\.0\.0\.1|localhost):41(\d\d)\b/g, (_, host, last) => `${host}:${server.port + Number(last)}`)
    .replace(/<project_id>|prj_us_(123|…)/g, region.project_id)
    .replaceAll("<api_key>", region.api_key)
    .replace(/<connection_id>|con_us_(123|…)|con_…/g, region.connections?.[systemOf(path)] ?? "")
    .replace(/^( *)operator /gm, "$1./signalbox ")
    .replace(/(?<= )\/backup\b/g, join(world.folder, "backup"));
}

/** The page of a step needs an account of its system. */
export const stepOf = (path: string) => findStep(/(\w+)\.md$/.exec(path)?.[1] ?? "");
const systemOf = (path: string): SystemId => (stepOf(path)?.system.id as SystemId | undefined) ?? "deployment";

/** What a reader has beside the page: a key file, metadata of their provider, a group. */
export async function prepare(world: World, path: string): Promise<void> {
  const write = (name: string, text: string) => writeFileSync(join(world.folder, name), text);
  if (path === "docs/connect/google-analytics.md")
    write("key.json", JSON.stringify(await credentialsOf(world, "analytics")));
  if (path === "docs/single-sign-on.md") write("metadata.xml", metadata());
  if (path === "docs/scim.md") {
    const body = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "Shop" };
    const authorization = `Bearer ${world.region.scim_token}`;
    const sent = { method: "POST", headers: { ...headers, authorization }, body: JSON.stringify(body) };
    expect((await fetch(`${world.region.base_url}/scim/v2/Groups`, sent)).status).toBe(201);
  }
}

/** Accounts and ids that only the reader has: those of the sandboxes, and of what the test has made. */
export async function atSandbox(world: World, code: string, path: string): Promise<string> {
  let text = code
    .replaceAll('"instance":"live"', '"instance":"sandbox"')
    .replace('instance: "live"', 'instance: "sandbox"');
  if (path.startsWith("docs/connect/")) {
    text = text.replace(/--system \w+/, "$& --instance sandbox");
    const known = await credentialsOf(world, path.includes("marketo") ? "marketing" : "deployment");
    for (const name of ["client_id", "client_secret", "rest_endpoint"])
      text = text.replace(new RegExp(`("${name}": ?)"[^"]*"`), `$1"${known[name]}"`);
    text = text.replaceAll("<TOKEN>", known.token ?? "");
  }
  // The same call in another form: it would find what the first has created.
  if (path.startsWith("docs/steps/") && code.startsWith("./signalbox"))
    text = `curl -s -X POST ${world.sandboxes?.[systemOf(path)]}/_sandbox/reset\n${text}`;
  if (path === "docs/scim.md") {
    const [{ directory_id: directory = "" } = {}] = await listOf(world, "directory/list");
    const [{ group_id: group = "" } = {}] = await listOf(world, "directory/groups/list", { directory_id: directory });
    text = text.replaceAll("dir_us_…", directory).replaceAll("grp_us_…", group);
  }
  return path === "docs/single-sign-on.md" ? withProvider(text) : text;
}

async function listOf(world: World, operation: string, body: unknown = {}): Promise<Answer[]> {
  return (await world.call(operation, body)).results as unknown as Answer[];
}

async function credentialsOf(world: World, system: SystemId): Promise<Answer> {
  const listed = await (await fetch(`${world.sandboxes?.[system]}/_sandbox`)).json();
  const { credentials } = listed as { credentials: Answer & { service_account?: Answer } };
  return credentials.service_account ?? credentials;
}

const certificate = (): string => ownCertificate().pem.trim();
const metadata = (): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificate().replace(/-----.*-----|\n/g, "")}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${entryPoint}"/></IDPSSODescriptor></EntityDescriptor>`;

const withProvider = (code: string): string =>
  code
    .replace(/<tenant id>/g, "8e5c6b0a-1f3d-4c7e-9a2b-0d4f6e8a1c3b")
    .replace(/<(your domain|realm|application id|value)>/g, "example")
    .replace('"entity_id":"…","entry_point":"https://…"', `"entity_id":"${entityId}/2","entry_point":"${entryPoint}"`)
    .replace("-----BEGIN CERTIFICATE-----\\n…", certificate().replaceAll("\n", "\\n"))
    .replaceAll('"…"', '"example"');

/** The sandbox carries out a write and cuts the connection. */
export async function unknownRun(world: World): Promise<string> {
  const { ids } = (await (await fetch(`${world.sandboxes?.marketing}/_sandbox`)).json()) as { ids: Answer };
  const path = `/rest/v1/campaigns/${ids.trigger_campaign_id}/trigger.json`;
  const fault = { match: { method: "POST", path }, times: 1, drop: "after" };
  await fetch(`${world.sandboxes?.marketing}/_sandbox/faults`, {
    method: "POST",
    body: JSON.stringify(fault),
    headers,
  });
  const input = { method: "POST", endpoint: path, body: { input: { leads: [{ id: ids.lead_id }] } } };
  const body = { connection_id: world.region.connections?.marketing, input };
  return (await world.call("steps/marketing_api_call/run", body)).run_id ?? "";
}

const headers = { "content-type": "application/json" };
