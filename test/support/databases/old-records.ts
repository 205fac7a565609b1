import { join } from "node:path";
import { type IdKind, idAt, newId } from "../../../src/kernel/ids.ts";
import { createLog } from "../../../src/kernel/log.ts";
import { createPruner, type Pruner } from "../../../src/retention/pruner.ts";
import type { Store } from "../../../src/store/db.ts";
import { temporaryFolder } from "../stores.ts";
import type { Team } from "../team.ts";

/** Rows as old versions and long use leave them, put into the store directly. */

export interface OldRun {
  status?: string;
  /** How many days ago it ended; null: it has not. */
  endedDaysAgo?: number | null;
  source?: object;
  conversationId?: string;
  steps?: number;
  largeOutput?: string;
  params?: string;
  projectId?: string;
}

export const daysAgo = ({ now }: Pick<Team, "now">, days: number): string =>
  new Date(now().getTime() - days * 86_400_000).toISOString();

/** An id of that time. */
const oldId = (kind: IdKind, at: string): string =>
  idAt(kind, "us", new Date(at)) + newId(kind, "us").slice(idAt(kind, "us", new Date()).length);

export async function insertOldRun(team: Team, old: OldRun = {}): Promise<string> {
  const ended = old.endedDaysAgo === undefined ? 100 : old.endedDaysAgo;
  const at = ended === null ? null : daysAgo(team, ended);
  const id = oldId("run", at ?? daysAgo(team, 200));
  await team.store.transaction(async (db) => {
    await db.query(
      `insert into runs (id, organization_id, project_id, kind, status, params, attempts, output_bytes, warnings, limits,
                         started_by, created_at, finished_at, source, conversation_id)
       values ($1, $2, $3, 'tool', $4, $5, '[]', 0, '[]', '[]', $6, $7, $8, $9, $10)`,
      [
        id,
        team.owner.organizationId,
        old.projectId ?? team.projectId,
        old.status ?? "succeeded",
        old.params ?? "{}",
        team.owner.userId,
        at ?? daysAgo(team, 200),
        at,
        old.source ? JSON.stringify(old.source) : null,
        old.conversationId ?? null,
      ],
    );
    for (let position = 0; position < (old.steps ?? 0); position++) {
      await db.query(
        `insert into run_steps (run_id, position, turn, name, step_id, status, output_bytes, warnings, attempts, written, tries,
                                started_at)
         values ($1, $2, -1, 'look', 'list_deployments', 'succeeded', 0, '[]', '[]', '[]', 1, $3)`,
        [id, position, daysAgo(team, 200)],
      );
    }
    if (old.largeOutput !== undefined) {
      await db.query(
        "insert into large_outputs (run_id, position, turn, bytes, preview, output) values ($1, -1, -1, $2, '', $3)",
        [id, old.largeOutput.length, old.largeOutput],
      );
    }
  });
  return id;
}

export async function insertOldEvent(
  team: Team,
  days: number,
  status = "ignored",
  [agentId, key]: [agentId: string, key: string | null] = ["agt_us_x", null],
): Promise<string> {
  const id = oldId("event", daysAgo(team, days));
  await team.store.transaction((db) =>
    db.query(
      `insert into events (id, organization_id, project_id, agent_id, repeat_key, type, system_type, body, status, run_ids, created_at)
       values ($1, $2, $3, $4, $5, 'x', 'x', '{}', $6, '[]', $7)`,
      [id, team.owner.organizationId, team.projectId, agentId, key, status, daysAgo(team, days)],
    ),
  );
  return id;
}

export async function insertOldDelivery(team: Team, webhookId: string, days: number, sendAt: string | null = null) {
  const id = oldId("delivery", daysAgo(team, days));
  await team.store.transaction((db) =>
    db.query(
      `insert into deliveries (id, webhook_id, event_id, type, body, status, attempts, send_at, claim, created_at)
       values ($1, $2, 'evt_us_x', 'run.failed', '{}', $3, 1, $4, 1, $5)`,
      [id, webhookId, sendAt === null ? "delivered" : "pending", sendAt, daysAgo(team, days)],
    ),
  );
  return id;
}

export async function newWebhook(team: Team): Promise<string> {
  const hook = { url: "https://nobody.invalid/hooks", events: ["run.failed"] };
  return (await team.call("webhooks/create", hook, team.inProject(team.owner))).body.webhook_id;
}

/** All ids of a table, sorted. */
export async function idsIn({ store }: Pick<Team, "store">, table: string, column = "id"): Promise<string[]> {
  const rows = await store.query<{ id: string }>(`select distinct ${column} as id from ${table} order by ${column}`);
  return rows.map(({ id }) => id);
}

export interface TestPruner extends Pruner {
  folder: string;
  logged: string[];
}

/** A pruner of the team's region that never pauses. */
export function prunerOf(
  team: Team,
  {
    store = team.store,
    folder = join(temporaryFolder(), "archive"),
    pause = () => Promise.resolve(),
  }: { store?: Store; folder?: string; pause?: () => Promise<void> } = {},
): TestPruner {
  const logged: string[] = [];
  const log = createLog("warn", { write: (line: string) => void logged.push(line) });
  const { now, context } = team;
  const { expiryNow } = context;
  const seal = context.rooms.vault.keys;
  const pruner = createPruner({ store, region: "us", seal, archiveFolder: folder, log, now, expiryNow, pause });
  return { ...pruner, folder, logged };
}

export const setPolicy = (team: Team, policy: object) =>
  team.call("organizations/retention/update", policy, { as: team.owner });

/** A store that notes how many rows each statement that deletes has deleted, at least, with its table. */
export function countingDeletes(store: Store, batches: { table: string; rows: number }[]): Store {
  return {
    ...store,
    transaction: (work) =>
      store.transaction((db) =>
        work({
          ...db,
          async query(sql, values) {
            const table = /^\s*delete from (\w+)/.exec(sql)?.[1];
            if (!table) return db.query(sql, values);
            const [before] = await db.query<{ n: number }>(`select count(*) as n from ${table}`);
            const rows = await db.query(sql, values);
            const [after] = await db.query<{ n: number }>(`select count(*) as n from ${table}`);
            batches.push({ table, rows: Number(before?.n) - Number(after?.n) });
            return rows as never;
          },
        }),
      ),
  };
}
