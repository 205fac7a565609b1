import type { Region } from "../../../src/kernel/regions.ts";
import { nextTimes } from "../../../src/schedules/cron-times.ts";
import { insertSchedule } from "../../../src/schedules/schedules.store.ts";
import type { Db, Store } from "../../../src/store/db.ts";
import type { ToolDefinition } from "../../../src/tools/definition.ts";
import { insertTool, insertVersion } from "../../../src/tools/tools.store.ts";
import type { Account } from "./vendor.ts";

/** An organization of the model: its own rows in the store of its region, and an account at one system. */
export interface Organization {
  id: string;
  projectId: string;
  userId: string;
  toolId: string;
  account: Account;
  /** Its schedule is due so often. Missed times are all made up for. */
  everyMinutes: number;
  callsPerRun: number;
  isGreedy: boolean;
}

const definition: ToolDefinition = { title: "Calls", params_schema: { type: "object" }, steps: [] };
/** What a run of it works on. */
export const workOf = ({ toolId }: Organization) => ({ kind: "tool" as const, id: toolId, version: 1, definition });

const batch = 500;

/** A person, a project, a published tool and a schedule for each organization. */
export async function insertTenants(store: Store, region: Region, all: readonly Organization[], now: Date) {
  for (let first = 0; first < all.length; first += batch)
    await store.transaction(async (db) => {
      for (const each of all.slice(first, first + batch)) await insertTenant(db, region, each, now);
    });
}

/** Plain statements: the rules would also write an audit row and a key for each. */
async function insertTenant(db: Db, region: Region, organization: Organization, now: Date): Promise<void> {
  const { id, projectId, userId, toolId, everyMinutes } = organization;
  const timing = { cron: `*/${everyMinutes} * * * *`, timeZone: "UTC" };
  const at = now.toISOString();
  await db.query(
    `insert into organizations (id, name, project_creation, keys_on_reactivation, created_at)
     values ($1, $1, 'everyone', 'stay_disabled', $2)`,
    [id, at],
  );
  await db.query(
    `insert into users (id, organization_id, email, email_key, organization_role, active, created_at)
     values ($1, $2, $1, $1, 'owner', 1, $3)`,
    [userId, id, at],
  );
  await db.query(
    `insert into projects (id, organization_id, name, description, created_by, created_at, updated_at)
     values ($1, $2, $1, '', $3, $4, $4)`,
    [projectId, id, userId, at],
  );
  await db.query(
    "insert into memberships (project_id, user_id, actions, role, created_at) values ($1, $2, 'admin', 'admin', $3)",
    [projectId, userId, at],
  );
  const made = { createdBy: userId, createdAt: at };
  const tool = { id: toolId, organizationId: id, projectId, definition, revision: 1, publishedVersion: 1 };
  await insertTool(db, { ...tool, ...made, updatedAt: at, deletedAt: null });
  await insertVersion(db, { toolId, version: 1, definition, note: null, ...made });
  await insertSchedule(db, {
    ...{ id: `sch_${region}_${id}`, organizationId: id, projectId, toolId, ...timing, misfire: "all", params: {} },
    ...{ enabled: true, nextAt: nextTimes(timing, now, 1)[0]?.toISOString() ?? null },
    ...{ lastAt: null, lastRunId: null, lastProblem: null, runAs: userId, ...made, updatedAt: at },
  });
}
