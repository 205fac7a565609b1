import { type ApiRequest, listOf, pathId, requireText } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { pageById } from "../gateway/page-by-id.ts";
import { fieldNotSupported, leadNotFound, missingParameter } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import { askedFields, leadRecord } from "../leads/lead-records.ts";
import type { Program } from "../records.ts";
import { hasSucceeded, membershipRecord, membersOf, type Row, requireProgram } from "./members.ts";

const fields: [name: string, displayName: string, dataType: string, isSearchable: boolean][] = [
  ["leadId", "Lead Id", "integer", true],
  ["statusName", "Status", "string", true],
  ["reachedSuccess", "Reached Success", "boolean", true],
  ["acquiredBy", "Acquired By", "boolean", true],
  ["membershipDate", "Membership Date", "datetime", false],
  ["updatedAt", "Updated At", "datetime", false],
];

const made = leadTime(Date.parse("2020-01-01T00:00:00Z"));

/** `GET /rest/v1/programs/members/describe.json` */
export const describeMembers = (): Reply => ({
  result: [
    {
      name: "API Program Membership",
      description: "API Program Membership Map",
      createdAt: made,
      updatedAt: made,
      dedupeFields: ["leadId", "programId"],
      searchableFields: fields.filter(([, , , isSearchable]) => isSearchable).map(([name]) => [name]),
      fields: fields.map(([name, displayName, dataType]) => ({
        name,
        displayName,
        dataType,
        updateable: name === "statusName",
        crmManaged: false,
      })),
    },
  ],
});

/** `GET /rest/v1/programs/{id}/members.json`: by one field of the membership. */
export function queryMembers(context: Context, request: ApiRequest): Reply {
  const program = requireProgram(context, pathId(request));
  const filterType = requireText(request, "filterType");
  if (!fields.some(([name, , , isSearchable]) => name === filterType && isSearchable))
    throw fieldNotSupported(filterType);
  const wanted = listOf(request, "filterValues");
  if (wanted.length === 0) throw missingParameter("filterValues");
  const asked = new Set(listOf(request, "fields"));
  const found = membersOf(context, program.id)
    .map((row) => ({ id: row.id, record: memberRecord(program, row) }))
    .filter(({ record }) => wanted.includes(String(record[filterType])));
  const page = pageById(context, request, "program members", found, ({ record }) => record);
  const rows = (page.result ?? []) as Record<string, unknown>[];
  const result = rows.map((record, seq) => ({
    seq,
    ...Object.fromEntries(Object.entries(record).filter(([name]) => usual.has(name) || asked.has(name))),
  }));
  return { ...page, result };
}

const usual = new Set(["leadId", "reachedSuccess", "programId", "acquiredBy", "membershipDate"]);

const memberRecord = (program: Program, row: Row): Record<string, unknown> => ({
  leadId: row.id,
  statusName: row.status,
  reachedSuccess: hasSucceeded(program, row),
  programId: program.id,
  acquiredBy: row.acquiredBy,
  membershipDate: leadTime(row.joinedAt),
  updatedAt: leadTime(row.updatedAt),
});

/** `GET /rest/v1/leads/programs/{id}.json`: the leads themselves, each with its membership. */
export function readMemberLeads(context: Context, request: ApiRequest): Reply {
  const program = requireProgram(context, pathId(request));
  const asked = askedFields(request);
  const rows = membersOf(context, program.id).flatMap((member) => {
    const lead = context.instance.leads.find(member.id);
    return lead ? [{ id: member.id, lead, member }] : [];
  });
  return pageById(context, request, "program leads", rows, ({ lead, member }) => ({
    ...leadRecord(lead, asked),
    membership: { id: program.id, ...membershipRecord(program, member) },
  }));
}

/** `GET /rest/v1/leads/{id}/programMembership.json`: the programs of one lead. */
export function readMemberships(context: Context, request: ApiRequest): Reply {
  const leadId = pathId(request);
  const { leads, programs, programMembers } = context.instance;
  if (!leads.find(leadId)) throw leadNotFound();
  const rows = [...programs.values()].flatMap((program) => {
    const member = programMembers.get(program.id)?.get(leadId);
    return member ? [{ id: program.id, program, member }] : [];
  });
  const reply = pageById(context, request, "memberships of a lead", rows, ({ id, program, member }) => ({
    id,
    ...membershipRecord(program, member),
    updatedAt: leadTime(member.updatedAt),
  }));
  return { ...reply, moreResult: reply.nextPageToken !== undefined };
}
