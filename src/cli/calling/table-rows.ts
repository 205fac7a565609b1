import type { Row } from "../terminal/print-table.ts";
import type { KnownOperation } from "./operations.ts";

/** What a table shows of a record. Operations that are not listed show what is short and says most. */

type Columns = (record: Row) => Row;

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Row)[name] : undefined;

const some =
  (...names: string[]): Columns =>
  (record) =>
    Object.fromEntries(names.map((name) => [name, record[name]]));

/** The last columns are left out first where the terminal is narrow. */
const byPath: Record<string, Columns> = {
  "projects/list": some("project_id", "name", "role", "created_at"),
  "auth/invite/list": some("email", "status", "expires_at", "invite_code"),
  "auth/users/list": some("user_id", "email", "role", "active"),
  "auth/keys/list": some("key_id", "label", "hint", "status", "expires_at", "last_used_at"),
  "auth/sessions/list": some("session_id", "method", "current", "last_seen_at", "ip", "user_agent"),
  "auth/service_users/list_keys": some("key_id", "label", "hint", "status", "expires_at", "last_used_at"),
  "single_sign_on/list": some("provider_id", "label", "kind", "enabled", "required"),
  "single_sign_on/identities/list": some("identity_id", "email", "subject", "last_used_at"),
  "domains/list": some("domain_id", "domain", "verified", "record"),
  "organizations/list": some("organization_id", "name", "role", "region"),
  "organizations/users/list": some("user_id", "email", "organization_role", "active"),
  "organizations/holds/list": some("hold_id", "project_id", "reason", "released_at", "created_at"),
  "organizations/archives/list": some("archive_id", "kind", "records", "first_at", "last_at", "file"),
  "directory/groups/list": some("group_id", "display_name", "members"),
  "directory/{directory_id}/requests": some("created_at", "method", "path", "status", "problem"),
  "systems/list": some("system", "title", "vendor"),
  "connections/list": (record) => ({
    connection_id: record.connection_id,
    system: record.system,
    label: record.label,
    state: record.state,
    identity: member(record.identity, "label") ?? member(record.identity, "email"),
    access_level: record.access_level,
    instance: record.instance,
  }),
  "steps/list": some("step_id", "title", "system", "effect", "summary"),
  "steps/search": some("step_id", "title", "system", "effect", "summary"),
  "tools/list": (record) => ({
    tool_id: record.tool_id,
    title: record.title,
    steps: Array.isArray(record.steps) ? record.steps.length : record.steps,
    published_version: record.published_version,
    updated_at: record.updated_at,
  }),
  "tools/{tool_id}/versions": some("version", "note", "created_by", "created_at"),
  "runs/list": (record) => ({
    run_id: record.run_id,
    step_or_tool: record.step_id ?? record.tool_id ?? record.agent_id,
    status: record.status,
    problem: member(record.problem, "code"),
    created_at: record.created_at,
  }),
  "limits/list": (record) => ({
    name: record.name,
    system: record.system,
    used: record.used,
    left: record.left,
    resets_at: record.resets_at,
    waiting: Array.isArray(record.waiting) ? record.waiting.length : record.waiting,
    connection_id: record.connection_id,
  }),
  "limits/history": ({ name, used, exhausted_at, connection_id }) => {
    const known = Array.isArray(used) ? used.filter((each) => typeof each === "number") : [];
    return {
      name,
      used: known.at(-1),
      most_used: known.length > 0 ? Math.max(...known) : null,
      exhausted_at,
      connection_id,
    };
  },
  "schedules/list": (record) => ({
    schedule_id: record.schedule_id,
    cron: record.cron,
    time_zone: record.time_zone,
    next_run: record.enabled === false ? "off" : Array.isArray(record.next_runs) ? record.next_runs[0] : null,
    tool_id: record.tool_id,
  }),
  "agents/list": some("agent_id", "name", "model", "approval", "paused", "created_at"),
  "agents/{agent_id}/conversations/list": some("conversation_id", "title", "runs", "last_status", "last_at"),
  "events/list": some("event_id", "type", "status", "run_id", "created_at"),
  "webhooks/list": some("webhook_id", "url", "status", "created_at"),
  "webhooks/{webhook_id}/deliveries": some("delivery_id", "type", "status", "response_status", "created_at"),
  "audit/list": some("seq", "created_at", "action", "target", "actor", "user_id"),
  "sandboxes/{system}/requests": some("created_at", "method", "path", "status", "identity"),
};

const columnsMax = 7;

/** A record that no entry describes: its own id first, then what is one value, without what every record has. */
function plainColumns(record: Row): Row {
  const usual = new Set(["project_id", "organization_id", "created_by", "updated_at", "description"]);
  const isShort = ([name, value]: [string, unknown], index: number) =>
    (index === 0 || !usual.has(name)) && (typeof value !== "object" || value === null);
  return Object.fromEntries(Object.entries(record).filter(isShort).slice(0, columnsMax));
}

export function rowsOf({ path }: Pick<KnownOperation, "path">, records: readonly Row[]): Row[] {
  const columns = byPath[path.replace("/latest/", "")] ?? plainColumns;
  const rows = records.map((record) => withShortTimes(columns(record)));
  // A member that only later records have is a column too; one that no record has is none.
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => row[name] !== undefined),
  );
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
}

const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;

const withShortTimes = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(time, "$1 $2") : value,
    ]),
  );
