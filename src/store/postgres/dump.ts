import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { countedTables, type RowCounts } from "../count-rows.ts";
import { migrationLock } from "./locks.ts";

/** Backups of a PostgreSQL database by PostgreSQL's own programs, pg_dump, pg_restore and psql. */

/** What stopped a backup or a restore, as a sentence for the operator. */
export class DumpRefused extends Error {}

const lookMilliseconds = 100;

/**
 * Reads one snapshot, beside running servers, and counts rows in the same snapshot. The file appears only when it is
 * complete.
 */
export async function dumpDatabase(url: string, to: string, onProgress: (bytes: number) => void): Promise<RowCounts> {
  const draft = `${to}.partial`;
  rmSync(draft, { force: true });
  const looking = setInterval(
    () => onProgress(statSync(draft, { throwIfNoEntry: false })?.size ?? 0),
    lookMilliseconds,
  );
  try {
    const schema = await ask(url, "select current_schema()");
    const what = ["--format=custom", "--no-owner", "--no-privileges", `--schema=${schema}`, `--file=${draft}`];
    const rows = await inSnapshot(url, async (snapshot, count) => {
      await run("pg_dump", [...what, `--snapshot=${snapshot}`], url);
      return count();
    });
    await run("pg_restore", ["--list", draft], url);
    renameSync(draft, to);
    return rows;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    clearInterval(looking);
  }
}

/** Holds one snapshot open while `work` runs, for other connections to read it too. */
async function inSnapshot<T>(
  url: string,
  work: (snapshot: string, count: () => Promise<RowCounts>) => Promise<T>,
): Promise<T> {
  const session = program(
    "psql",
    quietly.filter((each) => !each.startsWith("--output")),
    url,
  );
  const over = ended(session, "psql");
  // It is awaited below. Until then Node would call a failure unhandled.
  over.catch(() => {});
  const lines = createInterface({ input: session.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  session.stdin?.on("error", () => {});
  const answerTo = async (statement: string): Promise<string> => {
    session.stdin?.write(`${statement};\n`);
    const { value, done } = await lines.next();
    if (done) await over;
    return String(value);
  };
  try {
    const snapshot = await answerTo("begin isolation level repeatable read, read only; select pg_export_snapshot()");
    const count = async () => {
      const each = countedTables.map((table) => `'${table}', (select count(*) from ${table})`);
      return JSON.parse(await answerTo(`select json_build_object(${each.join(", ")})`)) as RowCounts;
    };
    return await work(snapshot, count);
  } finally {
    session.stdin?.end();
    // The work above has failed or has all it wanted; the session only held the snapshot.
    await over.catch(() => {});
  }
}

/** Whether a file is a dump of pg_dump in its custom format. */
export function isDump(file: string): boolean {
  const start = Buffer.alloc(5);
  const opened = openSync(file, "r");
  try {
    readSync(opened, start, 0, 5, 0);
  } finally {
    closeSync(opened);
  }
  return start.toString("latin1") === "PGDMP";
}

/** How many connections of other Signalbox processes there are. */
export const countServers = async (url: string): Promise<number> =>
  Number(
    await ask(
      url,
      `select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'signalbox'`,
    ),
  );

export const hasTables = async (url: string): Promise<boolean> =>
  (await ask(url, "select count(*) from pg_tables where schemaname = current_schema()")) !== "0";

/**
 * Puts a dump in the place of the current schema, which is kept under another name: all in one transaction, in which
 * the restore is also noted: at no moment a copy is in use that does not know it. Returns the name of the old schema; null if it was empty.
 */
export async function restoreDump(url: string, from: string, now: Date): Promise<string | null> {
  const schema = await ask(url, "select current_schema()");
  const aside = (await hasTables(url)) ? `before_restore_${now.toISOString().replace(/\D/g, "")}` : null;
  await run("pg_restore", ["--list", from], url);
  const target = quoted(schema);
  // A server that starts meanwhile waits for the end of the restore.
  const before = [
    `select pg_advisory_xact_lock(${migrationLock});`,
    ...(aside ? [`alter schema ${target} rename to ${quoted(aside)};`, `create schema ${target};`] : []),
  ];
  const restore = program("pg_restore", ["--no-owner", "--no-privileges", `--schema=${schema}`, "--file=-", from], url);
  const apply = program("psql", [...quietly, "--single-transaction", "--file=-"], url);
  const [applied, restored] = [ended(apply, "psql"), ended(restore, "pg_restore")];
  // Whichever ends first closes the pipe; its own words are in `ended`.
  apply.stdin?.on("error", () => {});
  apply.stdin?.write(`${before.join("\n")}\n`);
  restore.stdout?.pipe(apply.stdin as NodeJS.WritableStream, { end: false });
  try {
    await restored;
    apply.stdin?.end(`\nset local search_path to ${target};\n${markOf(now)}\n`);
  } catch (error) {
    // Without the end of its input, psql commits nothing.
    apply.kill("SIGKILL");
    // It was killed above; the first failure is thrown.
    await applied.catch(() => {});
    throw error;
  }
  await applied;
  return aside;
}

/** A backup of an early version has no such table; `markRestored` notes it after the migrations. */
const markOf = (now: Date): string => `do $$ begin
  if to_regclass('store_mark') is not null then
    insert into store_mark (id, store_id, mark, marked_at, epoch, restored_at)
    values ('current', '${randomUUID()}', 1, '${now.toISOString()}', 1, '${now.toISOString()}')
    on conflict (id) do update
      set store_id = excluded.store_id, epoch = store_mark.epoch + 1, restored_at = excluded.restored_at,
          restored_from = store_mark.marked_at;
  end if;
end $$;`;

/** Undoes a restore whose result is not whole. */
export async function undoRestore(url: string, aside: string | null): Promise<void> {
  const target = quoted(await ask(url, "select current_schema()"));
  const again = aside ? `alter schema ${quoted(aside)} rename to ${target};` : `create schema ${target};`;
  await ask(url, `begin; drop schema ${target} cascade; ${again} commit`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quietly = [
  "--no-psqlrc",
  "--quiet",
  "--tuples-only",
  "--no-align",
  "--output=/dev/null",
  "--set=ON_ERROR_STOP=1",
];

async function ask(url: string, statement: string): Promise<string> {
  const asking = program(
    "psql",
    [...quietly.filter((each) => !each.startsWith("--output")), "--command", statement],
    url,
  );
  let answer = "";
  asking.stdout?.on("data", (chunk: Buffer) => {
    answer += chunk.toString();
  });
  asking.stdin?.end();
  await ended(asking, "psql");
  return answer.trim();
}

async function run(name: string, args: string[], url: string): Promise<void> {
  const child = program(name, args, url);
  child.stdin?.end();
  child.stdout?.resume();
  await ended(child, name);
}

/** The password goes through the environment: everybody on the machine can read the arguments of a process. */
function program(name: string, args: string[], url: string): ChildProcess {
  const { address, password } = libpqAddress(url);
  const env = { ...process.env, PGDATABASE: address, ...(password && { PGPASSWORD: password }), PGOPTIONS: "" };
  const target = name === "psql" || name === "pg_dump" ? [`--dbname=${address}`] : [];
  return spawn(name, [...target, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
}

function ended(child: ChildProcess, name: string): Promise<void> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ENOENT" ? new DumpRefused(notThere(name)) : error);
    });
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new DumpRefused(`${name} failed: ${said.trim() || `it ended with code ${code}`}`));
    });
  });
}

const notThere = (name: string): string =>
  `${name} was not found. Install PostgreSQL's client programs, of the server's version or a newer one (Debian: apt-get install postgresql-client).`;

/** The words of our driver that PostgreSQL's own library knows, too. */
const known = new Set(["sslmode", "sslrootcert", "sslcert", "sslkey", "target_session_attrs", "connect_timeout"]);

/** Several hosts stay as they are: both libraries read them alike. */
export function libpqAddress(url: string): { address: string; password: string | null } {
  const [, scheme = "", user = "", rest = ""] = /^([a-z]+:\/\/)(?:([^/?#@]*)@)?(.*)$/s.exec(url) ?? [];
  const [name, password] = user.split(/:(.*)/s);
  const [path = "", query = ""] = rest.split("?");
  const given = [...new URLSearchParams(query)];
  const kept = given.filter(([key]) => known.has(key));
  const isSecured = given.some(([key, value]) => key === "ssl" && value !== "false");
  if (isSecured && !kept.some(([key]) => key === "sslmode")) kept.push(["sslmode", "require"]);
  const options =
    kept.length > 0 ? `?${kept.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}` : "";
  return {
    address: `${scheme}${name ? `${name}@` : ""}${path}${options}`,
    password: password === undefined ? null : decodeURIComponent(password),
  };
}
