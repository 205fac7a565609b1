import { type ApiRequest, idsOf, requireText, textOf, timeOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { missingParameter, Refusal } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import type { Activity } from "./activity-log.ts";
import { activityTypes, typeIds } from "./activity-types.ts";
import { type LogPosition, readLogToken, scanLog, writeLogToken } from "./scan-log.ts";

/** `GET /rest/v1/activities/pagingtoken.json?sinceDatetime=…`: a token and no `result`. */
export function startPaging({ instance }: Context, request: ApiRequest): Reply {
  const since = timeOf(request, "sinceDatetime");
  if (since === null) throw missingParameter("sinceDatetime");
  return { nextPageToken: writeLogToken(instance.activities.indexAt(since), since) };
}

/** `GET /rest/v1/activities/types.json` */
export const readActivityTypes = (): Reply => ({ result: activityTypes });

/** `GET /rest/v1/activities.json` */
export function readActivities(context: Context, request: ApiRequest): Reply {
  const { settings } = context;
  const position = readLogToken(requireText(request, "nextPageToken"));
  const types = new Set(idsOf(request, "activityTypeIds"));
  const assets = new Set(idsOf(request, "assetIds"));
  if (types.size === 0) throw missingParameter("activityTypeIds");
  if (types.size > settings.activity_type_ids) {
    throw new Refusal("1003", `Too many activity types: at most ${settings.activity_type_ids} are allowed`);
  }
  if (assets.size > 0 && types.size > 1) throw new Refusal("1003", "assetIds needs a single activity type");
  const isWanted = ({ typeId, primaryId }: Activity) =>
    types.has(typeId) && (assets.size === 0 || assets.has(primaryId));
  return scanLog(context, request, position, isWanted, activityRecord);
}

/**
 * `GET /rest/v1/activities/emailbounced.json` and `emailopened.json`, which the vendor does not have: `activities.json`
 * with the types filled in. The token may be left out, and the log is then read from `sinceDatetime` or from its start.
 */
export const readActivitiesOf =
  (...types: number[]) =>
  (context: Context, request: ApiRequest): Reply => {
    const assets = new Set(idsOf(request, "assetIds"));
    const isWanted = ({ typeId, primaryId }: Activity) =>
      types.includes(typeId) && (assets.size === 0 || assets.has(primaryId));
    return scanLog(context, request, optionalPosition(context, request), isWanted, activityRecord);
  };

function optionalPosition({ instance }: Context, request: ApiRequest): LogPosition {
  const token = textOf(request, "nextPageToken");
  if (token !== null) return readLogToken(token);
  const since = timeOf(request, "sinceDatetime") ?? 0;
  return { index: instance.activities.indexAt(since), since };
}

/** `GET /rest/v1/activities/deletedleads.json` */
export function readDeletedLeads(context: Context, request: ApiRequest): Reply {
  const position = readLogToken(requireText(request, "nextPageToken"));
  return scanLog(context, request, position, ({ typeId }) => typeId === typeIds.deleteLead, activityRecord);
}

export function activityRecord(activity: Activity): object {
  const { id, leadId, at, typeId, campaignId, primaryId, primaryValue, attributes } = activity;
  return {
    id,
    marketoGUID: String(id),
    leadId,
    activityDate: leadTime(at),
    activityTypeId: typeId,
    ...(campaignId === null ? {} : { campaignId }),
    primaryAttributeValueId: primaryId,
    primaryAttributeValue: primaryValue,
    attributes: attributes.map(([name, value]) => ({ name, value })),
  };
}
