import { type ApiRequest, listOf, requireText } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { missingParameter } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import { fieldsById } from "../leads/fields.ts";
import { requireField } from "../leads/lead-records.ts";
import type { Activity } from "./activity-log.ts";
import { typeIds } from "./activity-types.ts";
import { readLogToken, scanLog } from "./scan-log.ts";

/** `GET /rest/v1/activities/leadchanges.json`: new leads, and changes of the fields asked for. */
export function readLeadChanges(context: Context, request: ApiRequest): Reply {
  const position = readLogToken(requireText(request, "nextPageToken"));
  const names = listOf(request, "fields");
  if (names.length === 0) throw missingParameter("fields");
  const wanted = new Set(names.map((name) => requireField(name).id));
  const isWanted = ({ typeId, primaryId }: Activity) =>
    typeId === typeIds.newLead || (typeId === typeIds.changeDataValue && wanted.has(primaryId));
  return scanLog(context, request, position, isWanted, changeRecord);
}

function changeRecord(activity: Activity): object {
  const { id, leadId, at, typeId, attributes } = activity;
  const isValue = (name: string) => name === "Old Value" || name === "New Value";
  return {
    id,
    marketoGUID: String(id),
    leadId,
    activityDate: leadTime(at),
    activityTypeId: typeId,
    fields: typeId === typeIds.changeDataValue ? [changedField(activity)] : [],
    attributes: attributes.filter(([name]) => !isValue(name)).map(([name, value]) => ({ name, value })),
  };
}

function changedField({ primaryId, attributes }: Activity): object {
  const value = (wanted: string) => attributes.find(([name]) => name === wanted)?.[1] ?? null;
  const name = fieldsById.get(primaryId)?.name;
  return { id: primaryId, name, newValue: value("New Value"), oldValue: value("Old Value") };
}
