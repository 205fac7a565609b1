import { recordListChange } from "../activities/record.ts";
import { type ApiRequest, pathId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { leadNotFound, Refusal, reasonOf } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { askedFields, leadRecord } from "../leads/lead-records.ts";
import type { Lead } from "../leads/lead-table.ts";
import type { StaticList } from "../records.ts";
import { readLeadIds } from "./lead-ids.ts";
import { requireList } from "./static-lists.ts";

/** `GET /rest/v1/lists/{id}/leads.json`, and the older `/list/{id}/leads.json`. */
export function readMembers(context: Context, request: ApiRequest): Reply {
  const { instance } = context;
  const list = requireList(instance, pathId(request));
  const fields = askedFields(request);
  const leads = [...list.members].sort((a, b) => a - b).flatMap((id) => instance.leads.find(id) ?? []);
  return pageById(context, request, "members", leads, (lead) => leadRecord(lead, fields));
}

/** `POST /rest/v1/lists/{id}/leads.json`: a member already there is answered like a new one, and nothing is written. */
export const addMembers = memberCall((lead, list, { instance, clock }) => {
  if (!list.members.has(lead.id)) {
    list.members.add(lead.id);
    recordListChange(instance, lead, list, "added", clock.now());
  }
  return "added";
});

/** `DELETE /rest/v1/lists/{id}/leads.json` */
export const removeMembers = memberCall((lead, list, { instance, clock }) => {
  if (!list.members.delete(lead.id)) throw new Refusal("1015", "Lead not in list");
  recordListChange(instance, lead, list, "removed", clock.now());
  return "removed";
});

/** `GET /rest/v1/lists/{id}/leads/ismember.json` */
export const checkMembers = memberCall((lead, list) => (list.members.has(lead.id) ? "memberof" : "notmemberof"));

/** A call about some leads and one list: a row each, and a skipped row keeps its id here. */
function memberCall(act: (lead: Lead, list: StaticList, context: Context) => string) {
  return (context: Context, request: ApiRequest): Reply => {
    const { instance } = context;
    const list = requireList(instance, pathId(request));
    return { result: readLeadIds(context, request).map((id) => rowFor(id, list)) };

    function rowFor(id: number, list: StaticList): object {
      try {
        const lead = instance.leads.find(id);
        if (!lead) throw leadNotFound();
        return { id, status: act(lead, list, context) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { id, status: "skipped", reasons: [reasonOf(error)] };
      }
    }
  };
}
