import { findProject } from "../../access/projects.ts";
import type { LimitsOptions } from "../../limits/limits.ts";
import type { EnginePorts } from "../../runs/outcome/ports.ts";
import type { ConnectionEvents } from "../../vault/vault.ts";
import { announce } from "../../webhooks/announce.ts";
import { announceChanges } from "../../webhooks/announce-changes.ts";
import { announceRun } from "../../webhooks/announce-runs.ts";

/** Announces background events to webhooks: runs that end or wait for a person, lost connections, exhausted limits. */

export const announceRuns =
  (notify: () => void, now: () => Date): NonNullable<EnginePorts["onLeft"]> =>
  async (db, run, end) =>
    (await announceRun(db, run, end, now())) > 0 ? notify : () => {};

/** Does not wake the dispatcher: this runs deep inside a call, and the dispatcher polls every few seconds. */
export const announceConnections = (now: () => Date): ConnectionEvents => ({
  announce: announceChanges(null),
  async lost(db, { id, organizationId, projectId, system, label }, reason) {
    const data = { target: id, connection_id: id, system, label, reason };
    await announce(db, { organizationId, projectId, type: "connection.needs_reconnect", data, now: now() });
  },
});

/** Announces the limit to every project whose connections share it, with the project's own connections. */
export const announceLimits =
  (now: () => Date): NonNullable<LimitsOptions["onExhausted"]> =>
  async (db, { name, resetsAt, users }) => {
    for (const [projectId, here] of Map.groupBy(users, (user) => user.projectId)) {
      const project = await findProject(db, projectId);
      if (!project) continue;
      const data = {
        limit: name,
        connection_ids: here.map(({ connectionId }) => connectionId),
        resets_at: resetsAt.toISOString(),
      };
      const { organizationId } = project;
      await announce(db, { organizationId, projectId, type: "limit.exhausted", data, now: now() });
    }
  };
