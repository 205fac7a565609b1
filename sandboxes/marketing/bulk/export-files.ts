import type { Activity } from "../activities/activity-log.ts";
import { isObject, readId } from "../gateway/api-request.ts";
import { invalidValue, missingParameter, Refusal } from "../gateway/refusal.ts";
import { leadTime, readTime } from "../gateway/times.ts";
import type { Instance } from "../instance.ts";
import { type Field, fieldsByName } from "../leads/fields.ts";
import { type Lead, leadValue } from "../leads/lead-table.ts";
import type { ExportFormat, ExportJob } from "./export-jobs.ts";

type Order = Record<string, unknown>;

const longestSpan = 31 * 86_400_000;
const separators: Record<ExportFormat, string> = { CSV: ",", TSV: "\t", SSV: ";" };

/** What a lead export will write: the fields asked for, of leads in a list or from a span of time. */
export function orderLeads(instance: Instance, order: Order, format: ExportFormat): ExportJob["write"] {
  const columns = readColumns(order.fields);
  const isWanted = readLeadFilter(instance, order.filter);
  const names = isObject(order.columnHeaderNames) ? order.columnHeaderNames : {};
  const heads = columns.map(({ name }) => String(names[name] ?? name));
  return () => {
    const rows = [...instance.leads.all()].filter(isWanted);
    return table(
      format,
      heads,
      rows.map((lead) => columns.map((field) => leadValue(lead, field))),
    );
  };
}

function readColumns(names: unknown): Field[] {
  if (!Array.isArray(names) || names.length === 0) throw missingParameter("fields");
  const columns = names.map((name: unknown) => fieldsByName.get(String(name)));
  if (columns.includes(undefined)) throw new Refusal("1003", "Invalid fields");
  return columns as Field[];
}

function readLeadFilter(instance: Instance, filter: unknown): (lead: Lead) => boolean {
  if (!isObject(filter) || Object.keys(filter).length === 0) throw missingParameter("filter");
  const created = readSpan("createdAt", filter.createdAt);
  const updated = readSpan("updatedAt", filter.updatedAt);
  const members = readListFilter(instance, filter);
  if (!created && !updated && !members) throw new Refusal("1003", "Invalid filter");
  return (lead) =>
    (!created || created(lead.createdAt)) &&
    (!updated || updated(lead.updatedAt)) &&
    (!members || members.has(lead.id));
}

function readListFilter({ lists }: Instance, { staticListId, staticListName }: Order): Set<number> | null {
  if (staticListId === undefined && staticListName === undefined) return null;
  const list =
    staticListId === undefined
      ? [...lists.values()].find(({ name }) => name === staticListName)
      : lists.get(readId(staticListId));
  if (!list) throw new Refusal("1013", "Object not found");
  return list.members;
}

/** What an activity export will write: everything in a span of time, or only some kinds of it. */
export function orderActivities({ activities }: Instance, order: Order, format: ExportFormat): ExportJob["write"] {
  const filter = isObject(order.filter) ? order.filter : {};
  const isInTime = readSpan("createdAt", filter.createdAt);
  if (!isInTime) throw missingParameter("filter.createdAt");
  const types = Array.isArray(filter.activityTypeIds) ? new Set(filter.activityTypeIds.map(readId)) : null;
  return () => {
    const rows: unknown[][] = [];
    for (let index = 0; index < activities.length; index++) {
      const activity = activities.at(index);
      if (activity && isInTime(activity.at) && (!types || types.has(activity.typeId))) rows.push(activityRow(activity));
    }
    return table(format, activityHeads, rows);
  };
}

const activityHeads = [
  "marketoGUID",
  "leadId",
  "activityDate",
  "activityTypeId",
  "campaignId",
  "primaryAttributeValueId",
  "primaryAttributeValue",
  "attributes",
];

const activityRow = (activity: Activity) => [
  activity.id,
  activity.leadId,
  leadTime(activity.at),
  activity.typeId,
  activity.campaignId,
  activity.primaryId,
  activity.primaryValue,
  JSON.stringify(Object.fromEntries(activity.attributes)),
];

function readSpan(name: string, span: unknown): ((at: number) => boolean) | null {
  if (span === undefined) return null;
  const start = isObject(span) ? readTime(String(span.startAt)) : null;
  const end = isObject(span) ? readTime(String(span.endAt)) : null;
  if (start === null || end === null || end < start) throw invalidValue(name, span);
  if (end - start > longestSpan) throw new Refusal("1003", `${name} spans more than 31 days`);
  return (at) => at >= start && at <= end;
}

/** Unset values are the word null. */
function table(format: ExportFormat, heads: string[], rows: unknown[][]): { rows: number; content: string } {
  const separator = separators[format];
  const line = (cells: unknown[]) => cells.map((cell) => quoted(String(cell), separator)).join(separator);
  return { rows: rows.length, content: `${[heads, ...rows].map(line).join("\n")}\n` };
}

const quoted = (text: string, separator: string) =>
  text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
