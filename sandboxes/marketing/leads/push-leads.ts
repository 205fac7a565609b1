import { recordDeletedLead } from "../activities/record.ts";
import { statusesOf } from "../assets/channels-and-tags.ts";
import { type ApiRequest, idsOf, pathId, requireText } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, leadNotFound, missingParameter, Refusal } from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { join, requireStatus } from "../programs/members.ts";
import { fieldsByName } from "./fields.ts";
import { requireField } from "./lead-records.ts";
import type { Lead } from "./lead-table.ts";
import { requireInput, syncRow } from "./sync-leads.ts";

/** `POST /rest/v1/leads/push.json`: creates or updates leads, which become members of a program. */
export function pushLeads(context: Context, request: ApiRequest): Reply {
  const { input, lookupField = "email", programName, programStatus } = request.json();
  if (typeof programName !== "string" || programName === "") throw missingParameter("programName");
  const program = [...context.instance.programs.values()].find(({ name }) => name === programName);
  if (!program) throw new Refusal("1013", `Program '${programName}' not found`);
  const status = requireStatus(program, programStatus ?? statusesOf(program.channel)[0], "programStatus");
  const key = requireField(String(lookupField));
  const result = requireInput(context, input).map((row) => syncRow(context, "createOrUpdate", key, row));
  for (const { id, status: done } of result)
    if (id !== undefined) join(context, program, id, status, done === "created");
  return { result };
}

/** `POST /rest/v1/leads/{id}/associate.json`: a visitor's cookie is this lead's. */
export function associateLead(context: Context, request: ApiRequest): Reply {
  const lead = requireLead(context, pathId(request));
  const cookie = requireText(request, "cookie");
  if (!cookie.includes("token:")) throw invalidValue("cookie", cookie);
  const field = fieldsByName.get("cookies");
  if (field) context.instance.leads.change(lead, field, cookie.replace(/^.*token:/, ""));
  return {};
}

/** `POST /rest/v1/leads/{id}/merge.json`: the others become this one; what it lacks it takes from them. */
export function mergeLeads(context: Context, request: ApiRequest): Reply {
  const { instance, clock } = context;
  const winner = requireLead(context, pathId(request));
  const ids = [...new Set([...idsOf(request, "leadId"), ...idsOf(request, "leadIds")])];
  if (ids.length === 0) throw missingParameter("leadIds");
  if (ids.includes(winner.id)) throw invalidValue("leadIds", winner.id);
  for (const loser of ids.map((id) => requireLead(context, id))) {
    for (const [name, value] of Object.entries(loser.values)) {
      const field = fieldsByName.get(name);
      if (field && winner.values[name] === undefined) instance.leads.change(winner, field, value);
    }
    for (const list of instance.lists.values()) if (list.members.delete(loser.id)) list.members.add(winner.id);
    instance.leads.remove(loser.id);
    recordDeletedLead(instance, loser, clock.now());
  }
  winner.updatedAt = clock.now();
  return {};
}

function requireLead({ instance }: Context, id: number): Lead {
  const lead = instance.leads.find(id);
  if (!lead) throw leadNotFound();
  return lead;
}
