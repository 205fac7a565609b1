import { createHmac } from "node:crypto";
import { type CallToMake, mark } from "../load/requests.ts";
import { ask, type SignedCall } from "./callers.ts";

/** What a first run leaves for a caller. */
export interface Caller {
  organization_id: string;
  project_id: string;
  user_id: string;
  email: string;
  password: string;
  api_key: string;
  scim_token: string;
  connections: { analytics: string };
}

/** One operation, and how often it is called in a round. */
export interface Costed {
  name: string;
  count: number;
  call: SignedCall;
  /** Done once, before the first call. */
  before?(): Promise<unknown>;
}

const role = (name: string) => ({ items: { platformDefault: { actions: { [`role:${name}`]: true } } } });
const reads = { method: "GET", path: "/v9/projects/web" };
const report = {
  property_id: "1000",
  metrics: ["sessions", "activeUsers"],
  dimensions: ["country"],
  date_range: { start_date: "30daysAgo", end_date: "yesterday" },
};

/** Prepares what the calls need, and returns them in the order in which they are measured. */
export async function costedOperations(port: number, caller: Caller, upstream: string): Promise<Costed[]> {
  const headers = { authorization: `Bearer ${caller.project_id}:${caller.api_key}` };
  const post = (path: string, body: unknown = {}): CallToMake => ({ path: `/latest/${path}`, headers, body });
  const made = <T>(path: string, body: unknown): Promise<T> => ask<T>(port, post(path, body));

  const account = { system: "deployment", instance: upstream, credentials: { token: "a-token-of-the-bench" } };
  const { connection_id } = await made<{ connection_id: string }>("connections/connect", account);
  const member = { email: "colleague@example.com", permissions: role("viewer") };
  const { user_id } = await made<{ user_id: string }>("auth/service_users/create", { name: "Automation" });
  await made("auth/service_users/add", { user_id, permissions: member.permissions });
  const toolOf = async (steps: number): Promise<string> => {
    const each = { step: "deployment_api_call", connection_id, input: reads };
    const listed = Array.from({ length: steps }, (_, index) => ({ ...each, name: `step_${index}` }));
    const wish = { title: `Calls ${steps}`, params_schema: { type: "object" }, steps: listed };
    const { tool_id } = await made<{ tool_id: string }>("tools/create", wish);
    await made(`tools/${tool_id}/publish`, {});
    return tool_id;
  };
  const [one, three] = [await toolOf(1), await toolOf(3)];
  const trigger = (toolId: string) => post(`tools/${toolId}/trigger`, { params: {} });
  const step = (id: string, connection: string, input: object) =>
    post(`steps/${id}/run`, { connection_id: connection, input });

  return [
    { name: "Authenticated read (`projects/get`)", count: 1000, call: post("projects/get") },
    { name: "List of 50 (`audit/list`)", count: 200, call: post("audit/list", { limit: 50 }) },
    {
      name: "Create a project",
      count: 400,
      call: post("projects/create", { name: mark, description: "Counted", organization_id: caller.organization_id }),
    },
    {
      name: "Create an invite",
      count: 400,
      call: post("auth/invite/create", { email: `${mark}@people.example.com`, permissions: role("editor") }),
    },
    { name: "Change a role", count: 400, call: post(`auth/users/${user_id}/update`, { permissions: role("editor") }) },
    {
      name: "Sign in with a password",
      count: 16,
      call: {
        path: "/latest/auth/sign_in/password",
        headers: { "x-forwarded-for": "127.0.0.1" },
        body: { email: caller.email, password: caller.password },
      },
    },
    {
      name: "Create a person by SCIM",
      count: 200,
      call: {
        path: "/scim/v2/Users",
        headers: { authorization: `Bearer ${caller.scim_token}`, "content-type": "application/scim+json" },
        body: person,
      },
    },
    { name: "API Call step", count: 300, call: step("deployment_api_call", connection_id, reads) },
    { name: "Report step", count: 40, call: step("run_reports", caller.connections.analytics, report) },
    { name: "Trigger a tool of one step", count: 300, call: trigger(one) },
    { name: "Trigger a tool of three steps", count: 200, call: trigger(three) },
    { name: "Incoming event, and its run of one step", count: 300, call: await eventTo(port, post, one) },
    {
      name: "Trigger of one step, and a delivery of its end",
      count: 200,
      call: trigger(one),
      before: () => made("webhooks/create", { url: `${upstream}/hooks`, events: ["run.succeeded"] }),
    },
  ];
}

const person = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName: `${mark}@seed.example.com`,
  externalId: `ext-${mark}`,
  active: true,
  displayName: `Person ${mark}`,
  name: { givenName: "Person", familyName: mark },
  emails: [{ primary: true, type: "work", value: `${mark}@seed.example.com` }],
};

type Post = (path: string, body?: unknown) => CallToMake;

/** An agent whose rule starts the tool, and the event that its sender signs. */
async function eventTo(port: number, post: Post, toolId: string): Promise<SignedCall> {
  const rules = [{ on: "deployment.failed", tool_id: toolId }];
  const agent = await ask<{ webhook_url: string; webhook_secret: string }>(
    port,
    post("agents/create", { name: "Watch", rules }),
  );
  const payload = { deployment: { id: "dpl_1", name: "web", meta: {} }, project: { id: "prj_1" } };
  const body = { id: `evt_${mark}`, type: "deployment.failed", createdAt: 1_730_000_041_000, payload };
  const sign = (text: string) => ({
    "x-vercel-signature": createHmac("sha1", agent.webhook_secret).update(text).digest("hex"),
  });
  return { path: new URL(agent.webhook_url).pathname, headers: {}, body, sign };
}
