import { recordLeadChange, recordNewLead } from "../activities/record.ts";
import { type ApiRequest, isObject, readId } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import {
  fieldNotSupported,
  invalidValue,
  leadNotFound,
  missingParameter,
  Refusal,
  reasonOf,
} from "../gateway/refusal.ts";
import type { Context } from "../instance.ts";
import { type LeadValue, readFieldValue } from "./field-values.ts";
import { type Field, isCompanyField, isKey } from "./fields.ts";
import { requireField } from "./lead-records.ts";
import type { Lead } from "./lead-table.ts";

const actions = ["createOnly", "updateOnly", "createOrUpdate", "createDuplicate"] as const;
type Action = (typeof actions)[number];

/** `POST /rest/v1/leads.json`: rows are answered in the order sent, and one that cannot be done is skipped, alone. */
export function syncLeads(context: Context, request: ApiRequest): Reply {
  const { action: wantedAction = "createOrUpdate", lookupField = "email", partitionName, input } = request.json();
  const action = actions.find((each) => each === wantedAction);
  if (!action) throw invalidValue("action", wantedAction);
  if (partitionName !== undefined && partitionName !== "Default") {
    throw new Refusal("1008", `Access denied for partition '${partitionName}'`);
  }
  const rows = requireInput(context, input);
  const key = requireField(String(lookupField));
  if (!isKey(key) || (key.name === "id" && action !== "updateOnly")) throw fieldNotSupported(key.name);
  return { result: rows.map((row) => syncRow(context, action, key, row)) };
}

/** The rows of a lead write: at least one, at most a batch. */
export function requireInput({ settings }: Context, input: unknown): unknown[] {
  if (!Array.isArray(input) || input.length === 0) throw missingParameter("input");
  if (input.length > settings.batch_rows) {
    throw new Refusal("1003", `Too many records: ${input.length}, at most ${settings.batch_rows} are allowed`);
  }
  return input;
}

/** A skipped row carries no id: callers pair rows by their index. */
export interface SyncedRow {
  id?: number;
  status: "created" | "updated" | "skipped";
  reasons?: object[];
}

export function syncRow(context: Context, action: Action, key: Field, row: unknown): SyncedRow {
  try {
    if (!isObject(row)) throw invalidValue("input", row);
    const changes = readChanges(row);
    const lead = action === "createDuplicate" ? null : findLead(context, key, row);
    if (lead && action === "createOnly") throw new Refusal("1005", "Lead already exists");
    if (!lead && action === "updateOnly") throw leadNotFound();
    refuseCompanyOfCrm(lead, changes);
    if (!lead) return { id: createLead(context, changes).id, status: "created" };
    updateLead(context, lead, changes);
    return { id: lead.id, status: "updated" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: "skipped", reasons: [reasonOf(error)] };
  }
}

function findLead({ instance }: Context, key: Field, row: Record<string, unknown>): Lead | null {
  const value = row[key.name];
  if (value === undefined || value === null || value === "") throw missingParameter(key.name);
  const wanted = key.name === "id" ? readId(value) : value;
  const found = instance.leads.matching(key, [String(wanted)]);
  if (found.length > 1) throw new Refusal("1007", "Multiple lead match lookup criteria");
  return found[0] ?? null;
}

function readChanges(row: Record<string, unknown>): [Field, LeadValue | null][] {
  return Object.entries(row)
    .filter(([name]) => name !== "id")
    .map(([name, value]) => {
      const field = requireField(name);
      if (field.readOnly) throw new Refusal("1003", `Field '${name}' is read-only`);
      return [field, readFieldValue(field, value)];
    });
}

/** The fields of a company are saved with the lead, unless the company comes from a CRM: then they are the CRM's. */
function refuseCompanyOfCrm(lead: Lead | null, changes: [Field, LeadValue | null][]): void {
  const isLinked =
    lead !== null && (lead.values.externalCompanyId !== undefined || lead.values.sfdcAccountId !== undefined);
  if (isLinked && changes.some(([field]) => isCompanyField(field)))
    throw new Refusal("1021", "Company update not allowed during syncLead");
}

function createLead({ instance, clock }: Context, changes: [Field, LeadValue | null][]): Lead {
  const values: Record<string, LeadValue> = {};
  for (const [field, value] of changes) if (value !== null) values[field.name] = value;
  const lead = instance.leads.add(values, clock.now());
  recordNewLead(instance, lead, clock.now());
  return lead;
}

function updateLead({ instance, clock }: Context, lead: Lead, changes: [Field, LeadValue | null][]): void {
  const at = clock.now();
  for (const [field, value] of changes) {
    const before = instance.leads.change(lead, field, value);
    if (before === undefined) continue;
    lead.updatedAt = at;
    recordLeadChange(instance, lead, { field, before, after: value }, at);
  }
}
