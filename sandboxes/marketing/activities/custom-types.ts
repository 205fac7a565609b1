import { type ApiRequest, isObject, readId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { leadNotFound, missingParameter, Refusal, reasonOf } from "../gateway/refusal.ts";
import type { Route } from "../gateway/router.ts";
import { leadTime, readTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import { requireInput } from "../leads/sync-leads.ts";
import type { CustomActivityType } from "../records.ts";
import type { Attribute } from "./activity-log.ts";

/** Kinds of activity that the customer defines: made as drafts, approved, and then written by `external.json`. */

const firstTypeId = 100_001;
const textOfMember = (row: Record<string, unknown>, name: string): string => {
  const value = row[name];
  if (typeof value !== "string" || value === "") throw missingParameter(name);
  return value;
};

/** `GET /rest/v1/activities/external/types.json` */
const listTypes = ({ instance }: Context): Reply => ({ result: [...instance.customTypes.values()].map(briefRecord) });

/** `GET /rest/v1/activities/external/type/{apiName}/describe.json` */
const describeType = (context: Context, request: ApiRequest): Reply => ({
  result: [typeRecord(requireType(context, request))],
});

/** `POST /rest/v1/activities/external/type.json` */
function createType({ instance, clock }: Context, request: ApiRequest): Reply {
  const row = request.json();
  const apiName = textOfMember(row, "apiName");
  if (instance.customTypes.has(apiName)) throw new Refusal("1003", `Activity type '${apiName}' already exists`);
  if (!isObject(row.primaryAttribute)) throw missingParameter("primaryAttribute");
  const type: CustomActivityType = {
    id: firstTypeId + instance.customTypes.size,
    apiName,
    name: textOfMember(row, "name"),
    triggerName: textOfMember(row, "triggerName"),
    filterName: textOfMember(row, "filterName"),
    description: String(row.description ?? ""),
    primaryAttribute: row.primaryAttribute,
    attributes: [],
    status: "draft",
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
  instance.customTypes.set(apiName, type);
  return { result: [typeRecord(type)] };
}

/** `POST /rest/v1/activities/external/type/{apiName}.json` */
function updateType(context: Context, request: ApiRequest): Reply {
  const type = requireType(context, request);
  const { name, triggerName, filterName, description, primaryAttribute } = request.json();
  for (const [member, value] of Object.entries({ name, triggerName, filterName, description }))
    if (typeof value === "string") Object.assign(type, { [member]: value });
  if (isObject(primaryAttribute)) type.primaryAttribute = { ...type.primaryAttribute, ...primaryAttribute };
  return drafted(context, type);
}

/** `POST /rest/v1/activities/external/type/{apiName}/attributes/{create,update,delete}.json` */
const changeAttributes =
  (change: "create" | "update" | "delete") =>
  (context: Context, request: ApiRequest): Reply => {
    const type = requireType(context, request);
    const { attributes } = request.json();
    if (!Array.isArray(attributes) || attributes.length === 0) throw missingParameter("attributes");
    const rows = attributes.filter(isObject);
    const names = new Set(rows.map((row) => textOfMember(row, "apiName")));
    const known = type.attributes.filter(({ apiName }) => names.has(String(apiName)));
    if (change === "create" && known.length > 0) throw new Refusal("1003", "Attribute already exists");
    if (change !== "create" && known.length < names.size) throw new Refusal("1003", "Attribute not found");
    const others = type.attributes.filter(({ apiName }) => !names.has(String(apiName)));
    const before = (row: Record<string, unknown>) => known.find(({ apiName }) => apiName === row.apiName);
    type.attributes = change === "delete" ? others : [...others, ...rows.map((row) => ({ ...before(row), ...row }))];
    return drafted(context, type);
  };

function drafted({ clock }: Context, type: CustomActivityType): Reply {
  if (type.status === "approved") type.status = "approved with draft";
  type.updatedAt = clock.now();
  return { result: [typeRecord(type)] };
}

/** `POST /rest/v1/activities/external/type/{apiName}/approve.json` */
function approveType(context: Context, request: ApiRequest): Reply {
  const type = requireType(context, request);
  if (type.status === "approved") throw new Refusal("1003", "There is no draft to approve");
  type.status = "approved";
  return { result: [typeRecord(type)] };
}

/** `POST /rest/v1/activities/external/type/{apiName}/discardDraft.json` */
function discardDraft(context: Context, request: ApiRequest): Reply {
  const type = requireType(context, request);
  if (type.status === "approved") throw new Refusal("1003", "There is no draft to discard");
  if (type.status === "draft") context.instance.customTypes.delete(type.apiName);
  type.status = "approved";
  return { result: [typeRecord(type)] };
}

/** `POST /rest/v1/activities/external/type/{apiName}/delete.json` */
function deleteType(context: Context, request: ApiRequest): Reply {
  const type = requireType(context, request);
  context.instance.customTypes.delete(type.apiName);
  return { result: [typeRecord(type)] };
}

function requireType({ instance }: Context, { path }: ApiRequest): CustomActivityType {
  const type = instance.customTypes.get(path.apiName ?? "");
  if (!type) throw new Refusal("1013", `Activity type '${path.apiName}' not found`);
  return type;
}

/** `POST /rest/v1/activities/external.json`: rows are answered in the order sent. */
function addActivities(context: Context, request: ApiRequest): Reply {
  return { result: requireInput(context, request.json().input).map((row) => addActivity(context, row)) };
}

function addActivity({ instance, clock }: Context, row: unknown): object {
  try {
    if (!isObject(row)) throw missingParameter("input");
    const lead = instance.leads.find(readId(row.leadId));
    if (!lead) throw leadNotFound();
    const typeId = readId(row.activityTypeId);
    const type = [...instance.customTypes.values()].find(({ id }) => id === typeId);
    if (!type || type.status === "draft") throw new Refusal("1003", `Activity type '${typeId}' not found`);
    const at = readTime(String(row.activityDate ?? "")) ?? clock.now();
    const primaryValue = textOfMember(row, "primaryAttributeValue");
    const given = Array.isArray(row.attributes) ? row.attributes.filter(isObject) : [];
    const attributes = given.map((each): Attribute => [String(each.name ?? each.apiName), String(each.value)]);
    // The log keeps the order in which it was written: an activity of the past stands where it was told.
    const activity = {
      leadId: lead.id,
      at: Math.max(at, clock.now()),
      typeId,
      campaignId: null,
      primaryId: 0,
      primaryValue,
      attributes,
    };
    const { id } = instance.activities.append(activity);
    return { id, marketoGUID: String(id), status: "added" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: "skipped", reasons: [reasonOf(error)] };
  }
}

const briefRecord = ({ attributes, primaryAttribute, ...type }: CustomActivityType): object => ({
  ...type,
  createdAt: leadTime(type.createdAt),
  updatedAt: leadTime(type.updatedAt),
});

const typeRecord = (type: CustomActivityType): object => ({
  ...briefRecord(type),
  primaryAttribute: type.primaryAttribute,
  attributes: type.attributes,
});

const types = "/rest/v1/activities/external/type";
const metadata = (path: string, run: Route["run"]): Route => ({
  method: "POST",
  path: `${types}${path}.json`,
  needs: "Read-Write Activity Metadata",
  run,
});
const known = (path: string, run: Route["run"]): Route => ({
  method: "GET",
  path: `${types}${path}.json`,
  needs: "Read-Only Activity Metadata",
  run,
});

export const customTypeRoutes: Route[] = [
  known("s", listTypes),
  known("/{apiName}/describe", describeType),
  metadata("", createType),
  metadata("/{apiName}", updateType),
  metadata("/{apiName}/approve", approveType),
  metadata("/{apiName}/discardDraft", discardDraft),
  metadata("/{apiName}/delete", deleteType),
  metadata("/{apiName}/attributes/create", changeAttributes("create")),
  metadata("/{apiName}/attributes/update", changeAttributes("update")),
  metadata("/{apiName}/attributes/delete", changeAttributes("delete")),
  { method: "POST", path: "/rest/v1/activities/external.json", needs: "Read-Write Activity", run: addActivities },
];
