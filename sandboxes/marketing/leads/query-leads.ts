import { type ApiRequest, listOf, pathId, readId, requireText } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { fieldNotSupported, leadNotFound, missingParameter, Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { isKey } from "./fields.ts";
import { askedFields, leadRecord, requireField } from "./lead-records.ts";

/** `GET /rest/v1/leads.json?filterType=…&filterValues=…` */
export function queryLeads(context: Context, request: ApiRequest): Reply {
  const { instance, settings } = context;
  const key = requireField(requireText(request, "filterType"));
  if (!isKey(key)) throw fieldNotSupported(key.name);
  const wanted = listOf(request, "filterValues");
  if (wanted.length === 0) throw missingParameter("filterValues");
  if (wanted.length > settings.batch_rows) {
    throw new Refusal("1003", `Too many filter values: ${wanted.length}, at most ${settings.batch_rows} are allowed`);
  }
  if (key.type === "integer" || key.type === "reference") wanted.forEach(readId);
  const fields = askedFields(request);
  const found = instance.leads.matching(key, wanted);
  if (found.length > settings.lead_matches) throw new Refusal("1003", "Too many results match the filter");
  return pageById(context, request, "leads", found, (lead) => leadRecord(lead, fields));
}

/** `GET /rest/v1/lead/{id}.json` */
export function readLead({ instance }: Context, request: ApiRequest): Reply {
  const fields = askedFields(request);
  const lead = instance.leads.find(pathId(request));
  if (!lead) throw leadNotFound();
  return { result: [leadRecord(lead, fields)] };
}
