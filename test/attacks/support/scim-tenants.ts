import type { Attribute } from "../../../src/scim/schema/attribute-types.ts";
import type { JsonObject } from "../../../src/scim/schema/read-value.ts";
import {
  commonAttributes,
  groupType,
  type ResourceType,
  type Schema,
  userType,
} from "../../../src/scim/schema/schemas.ts";
import { type ScimTeam, scimOf } from "../../support/scim/scim.ts";
import type { StoreKind } from "../../support/stores.ts";
import { asRole, startTeam, type Team } from "../../support/team.ts";
import { must } from "./tenants.ts";

/** An organization with a directory of people and a group, in which every attribute has a value of its own. */
export interface DirectoryTenant {
  team: ScimTeam;
  /** As the directory's own token reads them. */
  resources: Record<ResourceType["name"], JsonObject>;
  /** What the caller sends to have them as they are. */
  bodies: Record<ResourceType["name"], JsonObject>;
  /** Whom and what an id of the tenant can name: in the directory, deleted there, and outside of it. */
  ids: {
    person: string;
    manager: string;
    deleted: string;
    group: string;
    owner: string;
    colleague: string;
    others: string[];
  };
  emails: string[];
  /** By which a directory finds the account of a person again whom it has deleted. */
  deleted: JsonObject;
}

export type DirectoryTenants = Record<"own" | "theirs", DirectoryTenant>;

export async function startDirectories(kind: StoreKind): Promise<DirectoryTenants> {
  const team = await startTeam(kind);
  const own = await furnish(team, "our");
  // Nothing of theirs was made in the same moment as something of one's own.
  team.advance(3600);
  const owner = await team.person("owner.7777@their.example");
  const theirs = await furnish({ ...team, owner, projectId: await team.project(owner, "Abroad") }, "their");
  team.advance(3600);
  return { own, theirs };
}

type Whose = "our" | "their";

async function furnish(team: Team, whose: Whose): Promise<DirectoryTenant> {
  const { owner, projectId, call } = team;
  const scim = await scimOf(team);
  const address = (name: string) => `${name}.7777@${whose}.example`;
  const colleague = await team.person(address("colleague"), owner);
  const inProject = { as: owner, project: projectId };
  await must(call("auth/invite/create", { email: address("invited"), permissions: asRole("viewer") }, inProject));
  const deleted = { userName: address("deleted"), externalId: `${whose} deleted person 7777` };
  const { id: deletedId } = await scim.user(deleted.userName, deleted);
  await scim.scim("DELETE", `/Users/${deletedId}`);
  const manager = await scim.user(address("manager"));
  const bodies = {
    User: bodyOf(userType, whose, {
      userName: address("person"),
      "emails.value": address("work"),
      "manager.value": manager.id,
    }),
    Group: {} as JsonObject,
  };
  const person = await made(scim, "/Users", bodies.User);
  const members = [{ value: person }, { value: manager.id }];
  bodies.Group = { ...bodyOf(groupType, whose, {}), members };
  const group = await made(scim, "/Groups", bodies.Group);
  const roles = [{ project_id: projectId, permissions: asRole("viewer") }];
  const { directoryId } = scim;
  await must(call(`directory/groups/${group}/roles`, { directory_id: directoryId, roles }, { as: owner }));
  return {
    team: scim,
    resources: {
      User: (await scim.scim("GET", `/Users/${person}`)).body,
      Group: (await scim.scim("GET", `/Groups/${group}`)).body,
    },
    bodies,
    ids: {
      ...{ person, manager: manager.id, deleted: deletedId, group, owner: owner.userId, colleague: colleague.userId },
      others: [directoryId, owner.organizationId, projectId],
    },
    emails: [owner.email, ...["colleague", "invited", "deleted", "manager", "person", "work"].map(address)],
    deleted,
  };
}

async function made({ scim }: ScimTeam, path: string, body: JsonObject): Promise<string> {
  const answer = await scim("POST", path, body);
  if (answer.status !== 201) throw new Error(`Refused: ${answer.text}`);
  return answer.body.id;
}

/** A resource with a value for every attribute that a directory may write; some of them are given. */
function bodyOf(type: ResourceType, whose: Whose, given: Record<string, string>): JsonObject {
  const partsOf = (attributes: Attribute[], before = ""): JsonObject =>
    Object.fromEntries(
      attributes
        .filter(({ name, mutability }) => mutability !== "readOnly" && name !== "schemas" && name !== "members")
        .map((attribute) => [attribute.name, valueAt(attribute, before + attribute.name)]),
    );
  const valueAt = (attribute: Attribute, path: string): unknown => {
    const { type: kind, multiValued, subAttributes = [], canonicalValues } = attribute;
    const text = given[path] ?? canonicalValues?.[0] ?? madeUpValue(type, path, whose);
    if (kind === "complex")
      return multiValued ? [partsOf(subAttributes, `${path}.`)] : partsOf(subAttributes, `${path}.`);
    if (kind === "boolean") return true;
    return kind === "binary" ? Buffer.from(`${text}.`.padEnd(48)).toString("base64") : text;
  };
  const extensions = type.extensions.map(({ urn, attributes }): [string, unknown] => [urn, partsOf(attributes)]);
  return {
    schemas: [type.core.urn, ...type.extensions.map(({ urn }) => urn)],
    ...partsOf([...commonAttributes, ...type.core.attributes]),
    ...Object.fromEntries(extensions),
  };
}

/** A text that stands nowhere else. */
export const madeUpValue = ({ name }: Pick<ResourceType, "name">, path: string, whose: Whose = "their"): string =>
  `${whose} ${name} ${path} 7777`;

/** An attribute as filters and paths name it, and how it is read and written. */
export interface NamedAttribute {
  path: string;
  attribute: Attribute;
  /** Of this schema; a core schema's attributes stand in the resource itself. */
  schema: Schema;
  in(resource: JsonObject): unknown;
  /** A part of a resource that has this value only. */
  part(value: unknown): JsonObject;
}

export function attributesOf(type: ResourceType): NamedAttribute[] {
  const named = (schema: Schema, attribute: Attribute): NamedAttribute => {
    const isCore = schema === type.core;
    const wrap = (part: JsonObject): JsonObject => (isCore ? part : { [schema.urn]: part });
    return {
      path: isCore ? attribute.name : `${schema.urn}:${attribute.name}`,
      attribute,
      schema,
      in: (resource) => ((isCore ? resource : resource[schema.urn]) as JsonObject | undefined)?.[attribute.name],
      part: (value) => wrap({ [attribute.name]: value }),
    };
  };
  return [
    ...[...commonAttributes, ...type.core.attributes].map((attribute) => named(type.core, attribute)),
    ...type.extensions.flatMap((schema) => schema.attributes.map((attribute) => named(schema, attribute))),
  ];
}
