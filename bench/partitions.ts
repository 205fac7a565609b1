import { readFileSync } from "node:fs";
import { listedColumns, runColumns } from "../src/runs/run-record.ts";
import type { Store } from "../src/store/db.ts";
import { migrate } from "../src/store/migrate.ts";
import { openPostgres } from "../src/store/postgres/postgres.ts";
import { startPostgres } from "../test/support/postgres.ts";

/**
 * The table of runs as it is, beside the same rows in twelve partitions by id, on PostgreSQL: processor time of the server
 * for one statement. `npx node bench/partitions.ts [statements]`
 */

const partitions = 12;
const rows = 120_000;
const projects = 100;
const count = Number(process.argv[2] ?? 600);
const rounds = 3;

const idOf = (n: number): string => `run_us_${String(n).padStart(10, "0")}`;
const projectOf = (n: number): string => `prj_us_${n % projects}`;
const anyRun = (): number => Math.floor(Math.random() * rows);

/** The statements of `runs/get`, of a worker, of a new run, and of `runs/list`. */
const statements: Record<string, (table: string, number: number) => [text: string, values: (string | number)[]]> = {
  "read by id": (table) => {
    const n = anyRun();
    return [`select ${runColumns} from ${table} where id = $1 and project_id = $2`, [idOf(n), projectOf(n)]];
  },
  "update by id": (table) => [`update ${table} set fence = fence + 1 where id = $1 returning id`, [idOf(anyRun())]],
  insert: (table, number) => [
    `insert into ${table} (id, organization_id, project_id, kind, status, params, attempts, output_bytes, warnings, limits,
       started_by, created_at) values ($1, 'org_us_1', $2, 'tool', 'succeeded', '{}', '[]', 0, '[]', '[]', 'usr_us_1', '2026')`,
    [idOf(rows + number), projectOf(number)],
  ],
  "first page of a project": (table) => [
    `select ${listedColumns} from ${table} where project_id = $1 order by id desc limit $2`,
    [projectOf(anyRun()), 51],
  ],
  "later page of a project": (table) => {
    const n = anyRun();
    return [
      `select ${listedColumns} from ${table} where project_id = $1 and id < $2 order by id desc limit $3`,
      [projectOf(n), idOf(n), 51],
    ];
  },
};

async function fill(store: Store): Promise<void> {
  const bound = (part: number): string => `'${idOf((part * rows) / partitions)}'`;
  const parts = Array.from({ length: partitions }, (_, part) => {
    const from = part === 0 ? "minvalue" : bound(part);
    const to = part === partitions - 1 ? "maxvalue" : bound(part + 1);
    return `create table in_parts_${part} partition of in_parts for values from (${from}) to (${to});`;
  });
  const indexes = await store.query<{ text: string }>(
    "select indexdef as text from pg_indexes where tablename = 'runs' and indexname <> 'runs_pkey'",
  );
  await store.exclusively(async (_db, runScript) => {
    await runScript(`
      insert into runs (id, organization_id, project_id, kind, status, params, attempts, output, output_bytes, warnings, limits,
                        started_by, created_at, finished_at, tool_id)
      select 'run_us_' || lpad(n::text, 10, '0'), 'org_us_1', 'prj_us_' || (n % ${projects}), 'tool', 'succeeded', repeat('x', 200),
             '[]', repeat('y', 300), 300, '[]', '[]', 'usr_us_1', '2026', '2026', 'tol_us_' || (n % 500)
        from generate_series(0, ${rows - 1}) as n;
      create table in_parts (like runs including defaults, primary key (id)) partition by range (id);
      ${parts.join("\n")}
      ${indexes.map(({ text }) => `${text.replace(/INDEX \S+ ON \S+/, "INDEX ON in_parts")};`).join("\n")}
      insert into in_parts select * from runs;
      analyze runs; analyze in_parts;`);
  });
}

/** Processor time of the server's process for this connection, in hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

const server = await startPostgres();
if (typeof server === "string") throw new Error(server);
const store = openPostgres(server.url, 1);
try {
  await migrate(store, new Date());
  await fill(store);
  const [backend] = await store.query<{ pid: number }>("select pg_backend_pid() as pid");
  let number = 0;
  for (const [name, statement] of Object.entries(statements)) {
    const used = { runs: 0, in_parts: 0 };
    for (let round = 0; round < rounds; round++) {
      for (const table of ["runs", "in_parts"] as const) {
        const before = cpuOf(backend?.pid ?? 0);
        for (let each = 0; each < count; each++) {
          await store.transaction((db) => db.query(...statement(table, number++)));
        }
        used[table] += cpuOf(backend?.pid ?? 0) - before;
      }
    }
    const each = (hundredths: number): string => `${((hundredths * 10_000) / rounds / count).toFixed(0)} µs`;
    const ratio = (used.in_parts / used.runs).toFixed(2);
    console.log(`${name}: whole ${each(used.runs)}, ${partitions} partitions ${each(used.in_parts)}, ratio ${ratio}`);
  }
} finally {
  await store.close();
  await server.stop();
}
