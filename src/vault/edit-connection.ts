import { requireAdmin } from "../access/callers/require-role.ts";
import type { Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { ConnectionSettings } from "../systems/account.ts";
import { type Connection, requireConnectionIn, updateEdited } from "./connections.ts";

export interface ConnectionEdit {
  label?: string | undefined;
  /** Omitted members stay as they are; null restores the default. */
  settings?: { [Name in keyof ConnectionSettings]?: number | null | undefined } | undefined;
  /** Null removes the policy; omitted, it stays. */
  policy?: unknown;
}

/** "Let an admin set it": the policy and the daily quota apply to everyone who uses the account. An editor may change the rest. */
export async function requireRoleFor(scope: Scope, { settings, policy }: ConnectionEdit): Promise<void> {
  if (policy !== undefined || settings?.daily_quota !== undefined) await requireAdmin(scope);
}

/** Changes what a user may change of a connection, inside the caller's transaction. */
export async function editConnection(
  db: Db,
  projectId: string,
  id: string,
  edit: ConnectionEdit,
  now: Date,
): Promise<Connection> {
  const connection = await requireConnectionIn(db, projectId, id);
  if (connection.state === "removed") throw new Problem("connection_removed");
  const edited = {
    label: edit.label ?? connection.label,
    settings: mergeSettings(connection.settings, edit.settings ?? {}),
    policy: edit.policy === undefined ? connection.policy : edit.policy,
  };
  await updateEdited(db, id, edited, now.toISOString());
  return requireConnectionIn(db, projectId, id);
}

const mergeSettings = (before: ConnectionSettings, edit: NonNullable<ConnectionEdit["settings"]>): ConnectionSettings =>
  Object.fromEntries(
    Object.entries({ ...before, ...edit }).filter(([, value]) => value !== null && value !== undefined),
  );
