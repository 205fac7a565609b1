import { type ApiRequest, idsOf, pageSize, readId, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { readPageToken, writePageToken } from "../gateway/page-token.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { requireList } from "../lists/static-lists.ts";
import type { Activity } from "./activity-log.ts";

export const writeLogToken = (index: number, since: number) => writePageToken("log", index, since);

/** Where to start in the log, and the moment before which nothing is shown. */
export interface LogPosition {
  index: number;
  since: number;
}

export function readLogToken(token: string): LogPosition {
  const [index = 0, since = 0] = readPageToken(token, "log");
  return { index, since };
}

/**
 * One page from the log. The server looks through a bounded stretch of it, so a page can be short, or have no `result` at
 * all, while there is more; and there is always a token, which goes on from where this call stopped.
 */
export function scanLog(
  context: Context,
  request: ApiRequest,
  position: LogPosition,
  isWanted: (activity: Activity) => boolean,
  record: (activity: Activity) => unknown,
): Reply {
  const { instance, settings } = context;
  const size = pageSize(request, "batchSize", settings.batch_rows, settings.batch_rows);
  const isInScope = readLeadScope(context, request);
  const log = instance.activities;
  const end = Math.min(log.length, position.index + Math.max(1, settings.activity_scan_rows));
  const rows: unknown[] = [];
  let index = position.index;
  for (; index < end && rows.length < size; index++) {
    const activity = log.at(index);
    if (activity && activity.at >= position.since && isWanted(activity) && isInScope(activity.leadId)) {
      rows.push(record(activity));
    }
  }
  const paging = { nextPageToken: writeLogToken(index, position.since), moreResult: index < log.length };
  return rows.length > 0 ? { result: rows, ...paging } : paging;
}

/** `leadIds` and `listId` narrow every kind of activity call. */
function readLeadScope({ instance, settings }: Context, request: ApiRequest): (leadId: number) => boolean {
  const leadIds = new Set(idsOf(request, "leadIds"));
  if (leadIds.size > settings.activity_lead_ids) {
    throw new Refusal("1003", `Too many lead ids: ${leadIds.size}, at most ${settings.activity_lead_ids} are allowed`);
  }
  const listId = textOf(request, "listId");
  const members = listId === null ? null : requireList(instance, readId(listId)).members;
  if (members && members.size >= settings.activity_list_leads) {
    throw new Refusal("1003", `List has too many members, fewer than ${settings.activity_list_leads} are allowed`);
  }
  return (leadId) => (leadIds.size === 0 || leadIds.has(leadId)) && (members === null || members.has(leadId));
}
