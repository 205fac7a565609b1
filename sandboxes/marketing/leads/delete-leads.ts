import { recordDeletedLead } from "../activities/record.ts";
import type { ApiRequest } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { leadNotFound, reasonOf } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { readLeadIds } from "../lists/lead-ids.ts";

/** `POST /rest/v1/leads/delete.json`, and the older `leads.json` with the verb DELETE. */
export function deleteLeads(context: Context, request: ApiRequest): Reply {
  return { result: readLeadIds(context, request).map((id) => deleteLead(context, id)) };
}

function deleteLead({ instance, clock }: Context, id: number): object {
  const lead = instance.leads.find(id);
  if (!lead) return { id, status: "skipped", reasons: [reasonOf(leadNotFound())] };
  instance.leads.remove(id);
  for (const list of instance.lists.values()) list.members.delete(id);
  recordDeletedLead(instance, lead, clock.now());
  return { id, status: "deleted" };
}
