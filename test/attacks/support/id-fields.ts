import { bodySchemaOf, type JsonSchema, namesInPath } from "../../../src/api/reference/operation-schemas.ts";
import type { Operation } from "../../../src/calls/define-operation.ts";
import { type Values, validCall } from "../../support/calls/valid-calls.ts";
import { asRole } from "../../support/team.ts";

/** Whose the record is that an id names: everybody else is to hear that it is not there. */
export type Whose = "project's" | "organization's" | "person's" | "its members' and the owners'";

export interface IdField {
  /** Where it stands in the call: `tool_id`, `roles[].project_id`. */
  place: string;
  /** The usual name of such an id, whatever it is called here. */
  record: string;
  whose: Whose;
  /** The members of the call that put the id there. */
  put(id: string): Values;
}

/** Every record that an id can name, by the usual name of the id, and whose it usually is. */
export const whoseRecords: Readonly<Record<string, Whose>> = {
  organization_id: "organization's",
  project_id: "its members' and the owners'",
  invite_code: "project's",
  user_id: "project's",
  key_id: "person's",
  session_id: "person's",
  passkey_id: "person's",
  provider_id: "organization's",
  domain_id: "organization's",
  identity_id: "organization's",
  directory_id: "organization's",
  token_id: "organization's",
  group_id: "organization's",
  connection_id: "project's",
  connect_id: "project's",
  tool_id: "project's",
  schedule_id: "project's",
  run_id: "project's",
  agent_id: "project's",
  conversation_id: "project's",
  event_id: "project's",
  webhook_id: "project's",
  delivery_id: "project's",
  hold_id: "organization's",
};

const otherNames: Record<string, string> = {
  project_ids: "project_id",
  default_project_id: "project_id",
  tools: "tool_id",
  connections: "connection_id",
  yaml: "connection_id",
};

/** Names that look like an id and name no record of a tenant, each with what they are. */
const notOurs: Record<string, string> = {
  step_id: "a step of the catalogue, which is the same for everybody",
  system: "a sandbox of the server, which all its organizations share",
  fault_id: "a fault of such a sandbox",
  client_id: "a name at the organization's identity provider",
  entity_id: "a name at the organization's identity provider",
  system_project_ids: "projects of the external system",
  id: "what a passkey calls itself",
  code: "what a person types",
  token: "from a mail: who holds it may use it",
  sign_in_token: "a secret of this one sign-in",
  sign_up_token: "a secret of this one sign-up",
  max_tokens: "a number",
};

const looksLikeId = /(?:^|_)(?:ids?|codes?|keys?|references?|tokens?)$/;

/** Ids that stand deeper than in a member of their own. */
const deeper: Record<string, (id: string) => Values> = {
  "tools steps[].connection_id": (id) => ({ steps: [stepOn(id)] }),
  "tools yaml": (id) => ({ yaml: JSON.stringify({ title: "A tool", steps: [stepOn(id)] }) }),
  "tools connections": (id) => ({
    yaml: JSON.stringify({ title: "A tool", steps: [stepOn("con_us_named")] }),
    connections: { con_us_named: id },
  }),
  "agents steps[].connection_id": (id) => ({ steps: [{ step: "list_deployments", connection_id: id }] }),
  "agents tools": (id) => ({ tools: [id] }),
  "agents rules[].tool_id": (id) => ({ rules: [{ on: "*", tool_id: id }] }),
  "directory roles[].project_id": (id) => ({ roles: [{ project_id: id, permissions: asRole("viewer") }] }),
  "keys project_ids": (id) => ({ project_ids: [id] }),
  "service_users project_ids": (id) => ({ project_ids: [id] }),
  "single_sign_on default_project_id": (id) => ({
    just_in_time: true,
    default_project_id: id,
    default_permissions: asRole("viewer"),
  }),
};

const stepOn = (connection: string) => ({
  name: "look",
  step: "list_deployments",
  connection_id: connection,
  input: {},
});

/** Ids in members that the schema leaves open. */
const inOpenMembers: Record<string, string[]> = {
  "/latest/tools/validate": ["steps[].connection_id"],
  "/latest/tools/import": ["yaml", "connections"],
  "/latest/agents/create": ["tools"],
  "/latest/agents/{agent_id}/update": ["tools"],
};

/** Every place of a call that takes an id of a record. Fails where nobody has said what an id names. */
export function idFieldsOf(operation: Operation): IdField[] {
  const inBody = placesIn(bodySchemaOf(operation)).filter((place) => looksLikeId.test(nameOf(place)));
  const places = new Set([...namesInPath(operation), ...inBody, ...(inOpenMembers[operation.path] ?? [])]);
  return [...places].filter((place) => !(nameOf(place) in notOurs)).map((place) => fieldAt(operation, place));
}

function fieldAt(operation: Operation, place: string): IdField {
  const name = nameOf(place);
  const record = otherNames[name] ?? name;
  const whose = whoseRecords[record];
  if (!whose)
    throw new Error(
      `${operation.path} takes ${place}, and the tenant matrix does not know what that names: say in test/attacks/support/id-fields.ts whose record it is, or why it is none.`,
    );
  const put = deeper[`${operation.area} ${place}`] ?? (place === name ? (id: string) => ({ [name]: id }) : undefined);
  if (!put)
    throw new Error(
      `${operation.path} takes ${place}, and the tenant matrix cannot put an id there: add it to \`deeper\` in test/attacks/support/id-fields.ts.`,
    );
  return { place, record, whose: whoseIn(operation, record, whose), put };
}

/** Owners see all people of the organization and end their keys; an invite is accepted by the person it was sent to. */
function whoseIn({ path, area, needs }: Operation, record: string, usually: Whose): Whose {
  if (record === "user_id" && (needs === "organization owner" || area === "service_users")) return "organization's";
  if (record === "invite_code" && path.endsWith("/accept")) return "person's";
  if (/\/keys\/(?:revoke|enable)$/.test(path)) return "its members' and the owners'";
  return usually;
}

/** The call with these values, and with these ids at these fields. */
export function callWith(
  operation: Operation,
  values: Values,
  fields: readonly IdField[],
  ids: readonly string[],
): { path: string; body: Values } {
  const put: Values = Object.assign({}, ...fields.map((field, at) => field.put(ids[at] ?? "")));
  const { path, body } = validCall(operation, { ...values, ...put });
  const inBody = Object.entries(put).filter(([name]) => !operation.path.includes(`{${name}}`));
  return { path, body: { ...body, ...Object.fromEntries(inBody) } };
}

function placesIn(schema: JsonSchema, at = ""): string[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const place = at === "" ? name : `${at}.${name}`;
    return [place, ...placesIn(member, place)];
  });
  const items = schema.items ? placesIn(schema.items, `${at}[]`) : [];
  return [...new Set([...members, ...items, ...(schema.anyOf ?? []).flatMap((each) => placesIn(each, at))])];
}

const nameOf = (place: string): string => place.slice(place.lastIndexOf(".") + 1);
