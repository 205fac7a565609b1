import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import {
  findPrograms,
  initialize,
  type RunProgram,
  startIn,
  type TestPostgres,
  unprivilegedUser,
} from "../../support/databases/postgres.ts";
import { CannotRun } from "../frame/harness.ts";

/** A PostgreSQL whose log is archived, with the files of deploy/point-in-time. */
export interface ArchivedPostgres extends TestPostgres {
  /** Copies the data folder, while others write. */
  takeBase(): void;
  /** The server's own time. */
  now(): Promise<string>;
  /** Resolves when everything so far is in the archive. */
  archived(): Promise<void>;
  /** A new server, with the state of this moment. */
  restore(moment: string): Promise<TestPostgres>;
}

const files = fileURLToPath(new URL("../../../deploy/point-in-time/", import.meta.url));

export async function startArchived(): Promise<ArchivedPostgres> {
  const programs = findPrograms();
  if (!programs) throw new CannotRun("this machine lacks PostgreSQL");
  const folder = mkdtempSync(join(tmpdir(), "signalbox-archive-"));
  const [archive, base] = [join(folder, "wal"), join(folder, "base")];
  mkdirSync(archive);
  // The server has a user of its own.
  const user = process.getuid?.() === 0 ? unprivilegedUser() : null;
  if (user) for (const each of [folder, archive]) chownSync(each, user.uid, user.gid);
  const configure = (data: string, name: string, change = (text: string) => text) =>
    appendFileSync(
      join(data, "postgresql.conf"),
      change(readFileSync(join(files, name), "utf8").replaceAll("/archive/wal", archive)),
    );
  let run: RunProgram = () => {};
  const server = await startIn(programs, (runProgram, data) => {
    run = runProgram;
    initialize(run, data);
    configure(data, "archive.conf");
  });
  const ask = async (url: string, statement: string): Promise<string> => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      const [row] = await sql.unsafe(statement);
      return String(row?.answer);
    } finally {
      await sql.end();
    }
  };
  const until = async (url: string, statement: string): Promise<void> => {
    for (const end = performance.now() + 120_000; ; ) {
      if ((await ask(url, statement)) === "true") return;
      if (performance.now() > end) throw new Error(`This did not become true: ${statement}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    takeBase: () => run("pg_basebackup", ["-d", server.url, "-D", base, "-X", "stream", "-c", "fast", "--no-sync"]),
    now: () => ask(server.url, "select clock_timestamp()::text as answer"),
    async archived() {
      const last = await ask(server.url, "select pg_walfile_name(pg_current_wal_lsn()) as answer");
      await ask(server.url, "select pg_switch_wal()::text as answer");
      await until(server.url, `select last_archived_wal >= '${last}' as answer from pg_stat_archiver`);
    },
    async restore(moment) {
      const restored = await startIn(
        programs,
        (_run, data) => {
          execFileSync("cp", ["-a", base, data]);
          configure(data, "recovery.conf", (text) =>
            text.replace(/^recovery_target_time = .*$/m, `recovery_target_time = '${moment}'`),
          );
          writeFileSync(join(data, "recovery.signal"), "");
        },
        // The copy must not write into the archive of the other one.
        undefined,
        ["archive_mode=off"],
      );
      await until(restored.url, "select not pg_is_in_recovery() as answer");
      return restored;
    },
  };
}
