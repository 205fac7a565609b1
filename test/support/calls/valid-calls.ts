import { registerClient } from "../../../src/access/assistants/oauth-clients.ts";
import { operatorScope } from "../../../src/access/operator.ts";
import { bodySchemaOf, type JsonSchema, namesInPath } from "../../../src/api/reference/operation-schemas.ts";
import type { Operation } from "../../../src/calls/define-operation.ts";
import { newId } from "../../../src/kernel/ids.ts";
import { saveRecord } from "../../../src/runs/journal/journal.ts";
import { newRecord } from "../../../src/runs/journal/new-record.ts";
import { insertPlannedRun } from "../../../src/runs/queue/queue.ts";
import { newRun } from "../../../src/runs/queue/start-run.ts";
import { insertStepRun, newStepRun } from "../../../src/runs/single-step/step-run.ts";
import { type SystemId, steps } from "../../../src/systems/index.ts";
import type { VerifiedAccount } from "../../../src/vault/connect.ts";
import { permissions, type TestAnswer, type TestPerson, testSeal } from "../app.ts";
import { alsoNeeded, singleSignOnMakers } from "../sign-in/single-sign-on-calls.ts";
import { asRole, type Team } from "../team.ts";
import { directoryMakers } from "./directory-values.ts";
import { sandboxMakers } from "./sandbox-values.ts";
import { signInMakers } from "./valid-sign-in.ts";

/** Values for the members of a call, by name: each refers to an existing, new record. */
export type Values = Record<string, unknown>;

const redirectUri = "http://127.0.0.1/callback";

let count = 0;

/** Creates what a successful call of the operation needs, and no more. */
export async function freshValues(team: Team, operation: Operation): Promise<Values> {
  const number = count++;
  const { owner, projectId, call, inProject } = team;
  const newInvite = () =>
    inviteCodeFrom(call("auth/invite/create", inviteTo(`invited${number}@example.com`), inProject(owner)));
  const signIn = signInMakers(team, operation, newInvite);
  await signIn.prepare();
  const conversation = operation.path.includes("{conversation_id}") ? newConversation(team) : null;
  const makers: Record<string, () => unknown> = {
    organization_id: () => owner.organizationId,
    project_id: () => projectId,
    user_id: async () =>
      operation.area === "service_users"
        ? (await call("auth/service_users/create", { name: "automation" }, { as: owner })).body.user_id
        : (await team.colleague(`member${number}`, "viewer")).userId,
    key_id: async () => (await call("auth/keys/create", { label: "spare" }, { as: owner })).body.key_id,
    invite_code: () => (operation.path.endsWith("/accept") ? invitedByNeighbour(team, owner, number) : newInvite()),
    email: () => `new${number}@example.com`,
    permissions: () => permissions("role:editor"),
    organization_role: () => "member",
    name: () => "A name",
    client_id: () => registerClient(testSeal, { client_name: "Helper", redirect_uris: [redirectUri] }).clientId,
    redirect_uri: () => redirectUri,
    code_challenge: () => "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    description: () => "A description",
    project_ids: () => [projectId],
    step_id: () => (operation.path.endsWith("/options") ? "create_properties" : "list_deployments"),
    system: () => "analytics",
    instance: () => "live",
    connect_id: async () =>
      (await call("connections/connect", { system: "analytics", instance: "live" }, inProject(owner))).body.connect_id,
    connection_id: () =>
      connectionThatOpensNothing(team, operation.path.endsWith("/options") ? "analytics" : "deployment"),
    field: () => "industry_category",
    query: () => "deployments",
    run_id: () => (/(approve|replay)$/.test(operation.path) ? runThatAsks(team) : runWithoutAnswer(team)),
    approved: () => true,
    tool_id: () => publishedTool(team),
    title: () => toolThatWaits.title,
    steps: () => toolThatWaits.steps,
    from: () => "pause",
    to: () => "rest",
    version: () => 1,
    yaml: () => JSON.stringify(toolThatWaits),
    cron: () => "0 9 * * 1-5",
    schedule_id: async () =>
      (await call("schedules/create", { tool_id: await publishedTool(team), cron: "0 9 * * *" }, inProject(owner))).body
        .schedule_id,
    outcome: () => "did_not",
    handle: () => "/output",
    url: () => "https://nobody.invalid/hooks",
    events: () => ["run.failed"],
    webhook_id: () => newWebhook(team),
    agent_id: async () => (await conversation)?.agent_id ?? newAgent(team),
    conversation_id: async () => (await conversation)?.conversation_id ?? newId("conversation", team.context.region),
    message: () => "How are the releases?",
    event_id: () => newEvent(team),
    reason: () => "Case 7",
    hold_id: async () => (await call("organizations/holds/create", { reason: "Case 7" }, { as: owner })).body.hold_id,
    expires_at: () => new Date(team.now().getTime() + 86_400_000).toISOString(),
    ...signIn.makers,
    ...singleSignOnMakers(team, operation),
    ...directoryMakers(team, operation),
    ...(await sandboxMakers(team, operation)),
  };
  const values: Values = {};
  for (const [name] of knownMembers(operation)) if (makers[name]) values[name] = await makers[name]();
  return values;
}

/** Needs no connection, and sends nothing. */
/** Longer than any call may wait. */
const toolThatWaits = { title: "A tool", steps: [{ name: "pause", step: "wait", input: { seconds: 3600 } }] };

async function publishedTool({ call, inProject, owner }: Team): Promise<string> {
  const { body } = await call("tools/create", toolThatWaits, inProject(owner));
  await call(`tools/${body.tool_id}/publish`, {}, inProject(owner));
  return body.tool_id;
}

const inviteTo = (email: string) => ({ email, permissions: asRole("viewer") });

const inviteCodeFrom = async (answer: Promise<TestAnswer>): Promise<string> => (await answer).body.invite_code;

/** "For a person whose account is in another organization": each time another one invites the person. */
async function invitedByNeighbour(team: Team, person: TestPerson, number: number): Promise<string> {
  const neighbour = await team.person(`neighbour${number}@example.net`);
  const project = await team.project(neighbour);
  return inviteCodeFrom(team.call("auth/invite/create", inviteTo(person.email), { as: neighbour, project }));
}

export interface PlannedCall {
  /** For `call`: the path after /latest/, with its values inserted. */
  path: string;
  body: Values;
}

/** A call with every required member, and no other. */
export function validCall(operation: Operation, values: Values): PlannedCall {
  const required = [...(bodySchemaOf(operation).required ?? []), ...(alsoNeeded[operation.path] ?? [])];
  return {
    path: pathWith(operation, values),
    body: Object.fromEntries(required.map((name) => [name, values[name]])),
  };
}

export function pathWith(operation: Operation, values: Values): string {
  const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  const put = (_: string, name: string) => encodeURIComponent(textOf(values[name]).toWellFormed());
  return operation.path.slice("/latest/".length).replace(/\{(\w+)\}/g, put);
}

/** Every member of the operation, at any depth. */
export const knownMembers = (operation: Operation): [string, JsonSchema][] => [
  ...namesInPath(operation).map((name): [string, JsonSchema] => [name, { type: "string" }]),
  ...Object.entries(bodySchemaOf(operation).properties ?? {}),
];

/** Saved as if verified; nothing may be sent to its address, so a step on it fails and says so. */
export async function connectionThatOpensNothing(team: Team, system: SystemId): Promise<string> {
  const { vault } = team.context.rooms;
  const main = "https://127.0.0.1";
  const verified: VerifiedAccount = {
    system,
    instance: "custom",
    addresses: { main, data: main, admin: main },
    grant: { kind: "access token", token: "worth nothing" },
    obtained: { token: "worth nothing", expiresInSeconds: null },
    who: { identity: { label: "nobody" }, accessLevel: null, scopes: [], lacks: null },
    label: null,
    connectionId: null,
  };
  const project = { id: team.projectId, organizationId: team.owner.organizationId };
  return team.store.transaction((db) =>
    vault.save(operatorScope(db, team.context.region, team.now), project, verified),
  );
}

/** A run of a tool that waits for an approval. */
async function runThatAsks(team: Team): Promise<string> {
  const now = team.now();
  const step = { name: "ask", step: "approve", input: { message: "May I?" } };
  const run = newRun({
    region: team.context.region,
    organizationId: team.owner.organizationId,
    projectId: team.projectId,
    work: {
      kind: "tool",
      id: null,
      version: null,
      definition: { title: "Asks", params_schema: { type: "object" }, steps: [step] },
    },
    params: {},
    source: { kind: "call" },
    startedBy: team.owner.userId,
    keyId: null,
    now,
  });
  await team.store.transaction(async (db) => {
    await insertPlannedRun(db, { ...run, status: "waiting", fence: 1, runAt: null });
    const { input } = step;
    const what = { name: "ask", stepId: "approve", status: "waiting" as const, input, output: input };
    await saveRecord(db, newRecord({ run, ports: { now: () => now } }, 0, what));
  });
  return run.id;
}

async function runWithoutAnswer(team: Team): Promise<string> {
  const [step] = steps;
  if (!step) throw new Error("There are no steps.");
  const run = newStepRun({
    region: team.context.region,
    organizationId: team.owner.organizationId,
    projectId: team.projectId,
    step,
    connectionId: "con_us_gone",
    params: {},
    startedBy: team.owner.userId,
    keyId: null,
    now: team.now(),
    leaseSeconds: 60,
  });
  await team.store.transaction((db) => insertStepRun(db, { ...run, status: "outcome_unknown", leaseUntil: null }));
  return run.id;
}

async function newWebhook({ call, inProject, owner }: Team): Promise<string> {
  const wanted = { url: "https://nobody.invalid/hooks", events: ["*"] };
  return (await call("webhooks/create", wanted, inProject(owner))).body.webhook_id;
}

const newAgent = async ({ call, inProject, owner }: Team): Promise<string> =>
  (await call("agents/create", { name: "An agent", webhook_signature: "off" }, inProject(owner))).body.agent_id;

/** Its model says nothing, which is also a turn. */
async function newConversation(team: Team): Promise<{ agent_id: string; conversation_id: string }> {
  const path = `agents/${await newAgent(team)}/trigger`;
  return (await team.call(path, { message: "Hello" }, team.inProject(team.owner))).body;
}

async function newEvent({ app, call, inProject, owner }: Team): Promise<string> {
  const agent = await call("agents/create", { name: "An agent", webhook_signature: "off" }, inProject(owner));
  const url = new URL(agent.body.webhook_url).pathname;
  const headers = { "content-type": "application/json" };
  const answer = await app.inject({ method: "POST", url, headers, payload: JSON.stringify({ type: "something" }) });
  return answer.json().event_id;
}
