import { codeAt, stepAt } from "../../../../src/identity/second-factor/totp.ts";
import {
  encoded,
  honestly,
  idpMetadata,
  ownCertificate,
  readRequest,
  responseXml,
} from "../../../support/sign-in/saml-provider.ts";
import type { HostileWorld } from "./world.ts";

/** What makes records: an attacker's calls, and requests of any kind. */
type Maker = Pick<HostileWorld, "call" | "exchange">;
type Values = Record<string, unknown>;

/** One record of each kind that an id in a path or a body can name. */
export interface Records {
  /** By the name of the field that takes them. */
  values: Values;
  /** One that signs people in, and one whose metadata the attacker changes. */
  samlProviders: [string, string];
  webhookPath: string;
  /** Another one of this name, because a call ends what it names. Null where nothing can be made again. */
  another(name: string): Promise<unknown>;
}

const pause = { name: "pause", step: "wait", input: { seconds: 1 } };
const long = { title: "Takes long", steps: [{ ...pause, input: { seconds: 3600 } }] };
const tool = { title: "A tool", steps: [pause, { ...pause, name: "rest" }] };
const asking = { title: "Asks", steps: [{ name: "ask", step: "approve", input: { message: "May I?" } }] };
const provider = { kind: "oidc", label: "A provider", issuer: "https://nobody.invalid", client_id: "signalbox" };
const viewer = { items: { platformDefault: { actions: { "role:viewer": true } } } };

export async function makeRecords(maker: Maker, projectId: string, connectionId: string): Promise<Records> {
  const made = async (operation: string, body: unknown): Promise<Record<string, string>> => {
    const { status, body: answer } = await maker.call(operation, body);
    if (status !== 200) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const idOf = async (operation: string, body: unknown, name: string) => (await made(operation, body))[name] ?? "";
  const published = async (definition: object): Promise<string> => {
    const id = await idOf("tools/create", definition, "tool_id");
    await made(`tools/${id}/publish`, {});
    return id;
  };
  const [toolId, longId] = [await published(tool), await published(long)];
  const agent = await made("agents/create", { name: "An agent", webhook_signature: "off", tools: [toolId] });
  const webhookPath = new URL(agent.webhook_url ?? "").pathname;
  const saml = {
    ...{ kind: "saml", label: "SAML", metadata_xml: idpMetadata(ownCertificate().pem) },
    ...{ just_in_time: true, default_project_id: projectId, default_permissions: viewer },
  };
  const samlProviders: [string, string] = [
    await idOf("single_sign_on/create", saml, "provider_id"),
    await idOf("single_sign_on/create", { ...saml, label: "More SAML" }, "provider_id"),
  ];
  let count = 0;
  const directory = async () => made("directory/create", {});
  const person = async () => {
    await signInBySaml(maker, samlProviders[0], `person${++count}`);
    const { results } = (await maker.call("single_sign_on/identities/list", { limit: 1 })).body as unknown as {
      results: Record<string, string>[];
    };
    return results[0] ?? {};
  };
  const [people, groups] = [await person(), await directory()];
  const makers: Record<string, () => Promise<unknown>> = {
    tool_id: () => idOf("tools/create", tool, "tool_id"),
    agent_id: () => idOf("agents/create", { name: "An agent" }, "agent_id"),
    run_id: () => idOf(`tools/${longId}/trigger_async`, { params: {} }, "run_id"),
    schedule_id: () => idOf("schedules/create", { tool_id: toolId, cron: "0 9 1 1 *" }, "schedule_id"),
    webhook_id: () =>
      idOf("webhooks/create", { url: "https://nobody.invalid/hooks", events: ["run.failed"] }, "webhook_id"),
    key_id: () => idOf("auth/keys/create", { label: "spare" }, "key_id"),
    provider_id: () => idOf("single_sign_on/create", provider, "provider_id"),
    domain_id: () => idOf("domains/create", { domain: `d${++count}.example.com` }, "domain_id"),
    invite_code: () =>
      idOf("auth/invite/create", { email: `i${++count}@example.com`, permissions: viewer }, "invite_code"),
    hold_id: () => idOf("organizations/holds/create", { reason: "Case 7" }, "hold_id"),
    connect_id: () => idOf("connections/connect", { system: "analytics", instance: "sandbox" }, "connect_id"),
    assistant_id: () => newAssistant(maker),
    fault_id: () => idOf("sandboxes/deployment/add_fault", { kind: "slow" }, "fault_id"),
    event_id: () => newEvent(maker, webhookPath),
    conversation_id: () => idOf(`agents/${agent.agent_id}/trigger`, { message: "Hello" }, "conversation_id"),
    identity_id: async () => (await person()).identity_id,
    user_id: async () => (await person()).user_id,
    service_user_id: () => idOf("auth/service_users/create", { name: "automation" }, "user_id"),
    asking_run_id: async () => idOf(`tools/${await published(asking)}/trigger_async`, { params: {} }, "run_id"),
    directory_id: async () => (await directory()).directory_id,
    // They have no id; there is one set of them, and it may be there already.
    codes: () => addCodes(maker),
    token_id: () => idOf("directory/tokens/create", { directory_id: groups.directory_id }, "token_id"),
  };
  const values: Values = {};
  const { identity_id, user_id } = people;
  const known: Values = {
    tool_id: toolId,
    agent_id: agent.agent_id,
    identity_id,
    user_id,
    directory_id: groups.directory_id,
  };
  for (const [name, make] of Object.entries(makers)) if (name !== "codes") values[name] = known[name] ?? (await make());
  const group_id = await makeResource(maker, groups.scim_token ?? "", "Groups", { displayName: "A group" });
  return {
    values: { ...values, group_id, connection_id: connectionId, step_id: "list_deployments", system: "deployment" },
    samlProviders,
    webhookPath,
    // There may be as many as an organization may have.
    another: async (name) => (await makers[name]?.().catch(() => null)) ?? null,
  };
}

/** A person whom a provider knows, and who gets an account at the first sign-in. */
async function signInBySaml({ exchange }: Maker, providerId: string, name: string): Promise<void> {
  const begun = await exchange({ method: "GET", path: `/sso/start?provider=${providerId}`, headers: {} });
  const request = readRequest(begun.location);
  const assertion = honestly(request, { nameId: name, email: `${name}@example.com` });
  const form = { SAMLResponse: encoded(responseXml(request, assertion)), RelayState: request.relayState };
  const posted = await exchange({
    ...{ method: "POST", path: `/sso/saml/${providerId}/acs`, body: `${new URLSearchParams(form)}` },
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const { pathname, search } = new URL(posted.location, "http://localhost");
  const ended = await exchange({ method: "GET", path: `${pathname}${search}`, headers: { cookie: begun.cookie } });
  if (ended.status !== 303 && ended.status !== 302 && ended.status !== 200)
    throw new Error(`SAML: ${ended.status} ${ended.text}`);
}

/** As an assistant introduces itself: with the address of the documentation's example. */
async function newAssistant({ exchange }: Maker): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ client_name: "Helper", redirect_uris: ["http://127.0.0.1:33418/callback"] });
  const { status, text } = await exchange({ method: "POST", path: "/oauth/register", headers, body });
  if (status !== 201) throw new Error(`An assistant: ${status} ${text}`);
  return JSON.parse(text).client_id;
}

async function newEvent({ exchange }: Maker, path: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const { status, text } = await exchange({ method: "POST", path, headers, body: '{"type":"something"}' });
  if (status !== 202) throw new Error(`An event: ${status} ${text}`);
  return JSON.parse(text).event_id;
}

/** One-time codes for the attacker's own account. */
async function addCodes({ call }: Maker): Promise<void> {
  const { body } = await call("auth/codes/begin", {});
  await call("auth/codes/confirm", { code: codeAt(body.secret ?? "", stepAt(new Date())) });
}

export async function makeResource(
  { exchange }: Pick<Maker, "exchange">,
  token: string,
  type: string,
  body: object,
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  const request = { method: "POST", path: `/scim/v2/${type}`, headers, body: JSON.stringify(body) };
  const { status, text } = await exchange(request);
  if (status !== 201) throw new Error(`SCIM ${type}: ${status} ${text}`);
  return JSON.parse(text).id;
}
