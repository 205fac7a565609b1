import { listAuditRows, readChain } from "../src/access/audit/audit.store.ts";
import { type AgentEvent, findRepeated, insertEvent } from "../src/agents/events/events.store.ts";
import { idAt } from "../src/kernel/ids.ts";
import { growingTables } from "../src/retention/growing-tables.ts";
import { listStepRecords } from "../src/runs/journal/journal.store.ts";
import { listedColumns } from "../src/runs/record/run-record.ts";
import { findShownRun, listRunSummaries } from "../src/runs/runs.store.ts";
import type { Db, Store } from "../src/store/db.ts";
import { migrate } from "../src/store/migrate.ts";
import { addMonths } from "../src/store/partitions/add-months.ts";
import { monthAfter } from "../src/store/partitions/months.ts";
import { partitionTable } from "../src/store/partitions/partition-table.ts";
import { openPostgres } from "../src/store/postgres/postgres.ts";
import { listDeliveries } from "../src/webhooks/deliveries.store.ts";
import { claimDeliveries, findOldestDue } from "../src/webhooks/due-deliveries.store.ts";
import { cpuNanoseconds } from "./costs/used.ts";
import { startDurablePostgres } from "./targets/durable-postgres.ts";

/**
 * The growing tables as they are, beside the same rows partitioned by `signalbox partition`, on PostgreSQL: processor time of the
 * server for one statement, and what it takes to delete a month. `npx node bench/partitions.ts [statements] [months] [rows of a month]`
 */

const count = Number(process.argv[2] ?? 1000);
const months = Number(process.argv[3] ?? 4);
const rounds = 3;
const rows = Number(process.argv[4] ?? 30_000) * months;
const projects = 100;
const now = new Date();
const firstMonth = monthAfter(now, 1 - months);
const stepMilliseconds = (now.getTime() - firstMonth.getTime()) / rows;

const timeOf = (n: number): Date => new Date(firstMonth.getTime() + Math.floor(n * stepMilliseconds));
const idOf = (kind: "run" | "delivery" | "event", n: number): string =>
  `${idAt(kind, "us", timeOf(n))}${String(n).padStart(8, "0")}`;
const eventOf = (n: number): AgentEvent => ({
  id: idOf("event", n),
  organizationId: "org_us_1",
  projectId: projectOf(n),
  agentId: `agt_us_${n % 50}`,
  repeatKey: `id:${n}`,
  type: "x",
  systemType: "x",
  body: "{}",
  signature: null,
  status: "ignored",
  runIds: [],
  problem: null,
  createdAt: timeOf(n).toISOString(),
  handledAt: null,
});
const projectOf = (n: number): string => `prj_us_${n % projects}`;
const anyRow = (): number => Math.floor(Math.random() * rows);
/** Most calls are about what is new. */
const newRow = (): number => rows - 1 - Math.floor(Math.random() * (rows / months / 2));

/** The statements of the program, by what they are for. */
const statements: Record<string, (db: Db, number: number) => Promise<unknown>> = {
  "read a run by id": (db) => {
    const n = newRow();
    return findShownRun(db, projectOf(n), idOf("run", n));
  },
  "update a run by id": (db) =>
    db.query("update runs set fence = fence + 1 where id = $1 returning id", [idOf("run", newRow())]),
  "insert a run": (db, number) =>
    db.query(
      `insert into runs (id, organization_id, project_id, kind, status, params, attempts, output_bytes, warnings, limits,
         started_by, created_at) values ($1, 'org_us_1', $2, 'tool', 'succeeded', '{}', '[]', 0, '[]', '[]', 'usr_us_1', '2026')`,
      [idOf("run", rows + number), projectOf(number)],
    ),
  "first page of a project's runs": (db) => listRunSummaries(db, projectOf(anyRow()), {}, { after: "", limit: 51 }),
  "the same, with the newest month as its bound": (db) =>
    db.query(`select ${listedColumns} from runs where project_id = $1 and id >= $2 order by id desc limit $3`, [
      projectOf(anyRow()),
      idAt("run", "us", monthAfter(now, 0)),
      51,
    ]),
  "later page of a project's runs": (db) => {
    const n = anyRow();
    return listRunSummaries(db, projectOf(n), {}, { after: idOf("run", n), limit: 51 });
  },
  "first page of failed runs": (db) =>
    listRunSummaries(db, projectOf(anyRow()), { status: "failed" }, { after: "", limit: 51 }),
  "steps of a run": (db) => listStepRecords(db, idOf("run", newRow())),
  "insert a delivery": (db, number) =>
    db.query(
      `insert into deliveries (id, webhook_id, event_id, type, body, status, attempts, claim, created_at)
       values ($1, $2, 'evt_us_x', 'run.failed', '{}', 'delivered', 1, 1, $3)`,
      [idOf("delivery", rows + number), `whk_us_${number % 50}`, now.toISOString()],
    ),
  "claim due deliveries": async (db) => {
    const due = await findOldestDue(db, now.toISOString(), 10);
    const ids = due.map(({ id }) => id);
    if (ids.length > 0) await claimDeliveries(db, now.toISOString(), now.toISOString(), ids, 10);
  },
  "first page of a webhook's deliveries": (db) =>
    listDeliveries(db, `whk_us_${anyRow() % 50}`, { status: null }, { after: "", limit: 51 }),
  "store an event": (db, number) => insertEvent(db, eventOf(rows + number)),
  "find a repeated event": (db) => {
    const { agentId, repeatKey } = eventOf(newRow());
    return findRepeated(db, agentId, repeatKey ?? "");
  },
  "append an audit row": (db, number) =>
    db.query(
      `insert into audit_log (organization_id, seq, at, action, actor_kind, details, prev_hash, hash)
       values ('org_us_1', $1, $2, 'x', 'x', '{}', '', '')`,
      [rows + number, now.toISOString()],
    ),
  "first page of the audit log": (db) =>
    listAuditRows(db, { organizationId: "org_us_1", projectId: null, before: null, limit: 51 }),
  "verify 500 audit rows": (db) => readChain(db, "org_us_1", null, anyRow(), 500),
};

const stampText = (time: string): string =>
  `(select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms / (32::numeric ^ p)::bigint) % 32)::integer + 1, 1), '' order by p desc)
      from generate_series(0, 9) p, (select ${time}::bigint as ms) m)`;

const json = (letter: string, characters: number): string => `'"' || repeat('${letter}', ${characters - 2}) || '"'`;

/** Ids and times as the program makes them. */
async function fill(store: Store): Promise<void> {
  const time = `(${firstMonth.getTime()} + floor(n * ${stepMilliseconds}))`;
  const iso = `to_char(to_timestamp(${time} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const id = (prefix: string): string => `'${prefix}_us_' || ${stampText(time)} || lpad(n::text, 8, '0')`;
  const each = `from generate_series(0, ${rows - 1}) as n`;
  await store.exclusively((_db, runScript) =>
    runScript(`
      insert into runs (id, organization_id, project_id, kind, status, params, attempts, output, output_bytes, warnings, limits,
                        started_by, created_at, finished_at, tool_id)
      select ${id("run")}, 'org_us_1', 'prj_us_' || (n % ${projects}), 'tool',
             case when n % 50 = 0 then 'failed' else 'succeeded' end, ${json("x", 200)}, '[]', ${json("y", 300)}, 300, '[]', '[]',
             'usr_us_1', ${iso}, ${iso}, 'tol_us_' || (n % 500) ${each};
      insert into run_steps (run_id, position, turn, name, step_id, status, input, output, output_bytes, warnings, attempts, written,
                             tries, started_at, finished_at)
      select r.id, p, -1, 'look', 'list_deployments', 'succeeded', '{}', ${json("y", 200)}, 200, '[]', '[]', '[]', 1, '2026', '2026'
        from runs r, generate_series(0, 1) as p;
      insert into deliveries (id, webhook_id, event_id, type, body, status, attempts, send_at, claim, created_at)
      select ${id("dlv")}, 'whk_us_' || (n % 50), 'evt_us_' || n, 'run.failed', ${json("z", 300)},
             case when n > ${rows - 100} then 'pending' else 'delivered' end, 1,
             case when n > ${rows - 100} then ${iso} end, 1, ${iso} ${each};
      insert into events (id, organization_id, project_id, agent_id, repeat_key, type, system_type, body, status, run_ids, created_at)
      select ${id("evt")}, 'org_us_1', 'prj_us_' || (n % ${projects}), 'agt_us_' || (n % 50), 'id:' || n, 'x', 'x', ${json("e", 300)},
             'ignored', '[]', ${iso} ${each};
      insert into organizations (id, name, project_creation, keys_on_reactivation, created_at)
      values ('org_us_1', 'One', 'admins', 'keep', '2026');
      insert into audit_heads (organization_id, seq, hash) values ('org_us_1', ${rows}, '');
      alter table audit_log disable trigger user;
      insert into audit_log (organization_id, seq, at, action, actor_kind, project_id, details, prev_hash, hash)
      select 'org_us_1', n, ${iso}, 'project.updated', 'person', 'prj_us_' || (n % ${projects}), '{}', repeat('0', 64), repeat('1', 64) ${each};
      alter table audit_log enable trigger user;
    `),
  );
  // As autovacuum does: tables that have rows.
  const filled = await store.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0",
  );
  for (const { name } of filled) await store.exclusively((_db, runScript) => runScript(`analyze ${name}`));
}

/** Partitioned while empty, in the first of the months: each month then has its own rows. */
async function partitionAll(store: Store): Promise<void> {
  for (const table of growingTables("us")) {
    await partitionTable(store, table, monthAfter(firstMonth, -1));
    await addMonths(store, table, now, { lockMilliseconds: 1000, movedRowsMax: 0 });
  }
}

/** Time on a processor of the server's process for this connection, in microseconds. */
const cpuOf = (pid: number): number => cpuNanoseconds(pid) / 1000;

const pidOf = async (store: Store): Promise<number> =>
  (await store.query<{ pid: number }>("select pg_backend_pid() as pid"))[0]?.pid ?? 0;

/** An ordered append reads the newest partition first, and stops there if it has enough rows. */
async function explainPage(store: Store): Promise<void> {
  const plan = await store.query<Record<string, string>>(
    "explain (costs off) select id from runs where project_id = 'prj_us_1' order by id desc limit 51",
  );
  const lines = plan.map((row) => Object.values(row)[0]?.trim());
  console.log(`first page of a project's runs: ${lines.filter((line) => !line?.includes("Cond")).join(" ")}`);
}

async function measureStatements(stores: Record<string, Store>): Promise<void> {
  for (const [name, statement] of Object.entries(statements)) {
    const used = Object.fromEntries(Object.keys(stores).map((which) => [which, 0]));
    let number = 0;
    for (let round = -1; round < rounds; round++) {
      for (const [which, store] of Object.entries(stores)) {
        const pid = await pidOf(store);
        const before = cpuOf(pid);
        // The first round only warms up.
        const each = round < 0 ? 50 : count;
        for (let i = 0; i < each; i++) await store.transaction((db) => statement(db, number++));
        if (round >= 0) used[which] = (used[which] ?? 0) + (cpuOf(pid) - before) / rounds / count;
      }
    }
    const whole = used.whole ?? 0;
    const texts = Object.entries(used).map(
      ([which, each]) => `${which} ${each.toFixed(0)} µs (${(each / whole).toFixed(2)})`,
    );
    console.log(`${name}: ${texts.join(", ")}`);
  }
}

/** Deletes the runs of the first month: row by row and then with a vacuum, or with the partition. */
async function measureDeletion(store: Store, name: string): Promise<void> {
  const end = idOf("run", Math.ceil((monthAfter(firstMonth, 1).getTime() - firstMonth.getTime()) / stepMilliseconds));
  const [part] = await store.query<{ name: string }>(
    "select tableoid::regclass::text as name from runs where id < $1 limit 1",
    [end],
  );
  const position = async (): Promise<string> =>
    (await store.query<{ at: string }>("select pg_current_wal_lsn()::text as at"))[0]?.at ?? "";
  const measured = async (what: string, statement: string): Promise<void> => {
    const [from, pid] = [await position(), await pidOf(store)];
    const cpu = cpuOf(pid);
    // PostgreSQL refuses a vacuum inside a transaction.
    await store.transaction((db) => db.query(statement)).catch(() => store.query(statement));
    const [wal] = await store.query<{ bytes: number }>(`select pg_wal_lsn_diff($1, $2)::bigint as bytes`, [
      await position(),
      from,
    ]);
    const [size] = await store.query<{ bytes: number }>(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class c
        where c.oid = 'runs'::regclass or c.oid in (select inhrelid from pg_inherits where inhparent = 'runs'::regclass)`,
    );
    const kilobytes = (bytes: number | undefined): string => `${Math.round((bytes ?? 0) / 1024)} kB`;
    console.log(
      `${name}, ${what}: ${((cpuOf(pid) - cpu) / 1000).toFixed(0)} ms, log ${kilobytes(wal?.bytes)}, runs then take ${kilobytes(size?.bytes)}`,
    );
  };
  await measured("nothing", "select 1");
  if (name === "whole") {
    await measured("delete a month row by row", `delete from runs where id < '${end}'`);
    await measured("vacuum", "vacuum runs");
  } else await measured(`drop ${part?.name}`, `drop table ${part?.name}`);
}

// It vacuums by itself, to measure that.
const server = await startDurablePostgres(["autovacuum=off"]);
if (typeof server === "string") throw new Error(server);
const admin = openPostgres(server.url, 1);
const stores: Record<string, Store> = {};
try {
  for (const name of ["whole", "partitioned", "generic"]) {
    await admin.query(`create database ${name}`);
    if (name === "generic") await admin.query(`alter database ${name} set plan_cache_mode = force_generic_plan`);
    const store = openPostgres(server.url.replace(/\/postgres$/, `/${name}`), 1);
    stores[name] = store;
    await migrate(store, now);
    if (name !== "whole") await partitionAll(store);
    await fill(store);
  }
  await explainPage(stores.partitioned as Store);
  await measureStatements(stores);
  for (const name of ["whole", "partitioned"]) await measureDeletion(stores[name] as Store, name);
} finally {
  for (const store of [...Object.values(stores), admin]) await store.close();
  await server.stop();
}
