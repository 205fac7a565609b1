import { expect, inject, test } from "vitest";
import { startPostgres, startStandby } from "../../../test/support/databases/postgres.ts";
import { startProxy } from "../../../test/support/network/cuttable-proxy.ts";
import { cleanUpLater } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { openPostgres } from "./postgres.ts";
import { createReplica, type ReplicaRead } from "./replica.ts";

// "Read replicas for lists where lag is safe, never for authentication."
test.skipIf(inject("postgresUrl") === null)(
  "a replica is read while it has everything, and the primary while it is behind or away",
  async ({ skip }) => {
    const server = await startPostgres();
    if (typeof server === "string") return skip(server);
    cleanUpLater(() => server.stop());
    const standby = await startStandby(server.url);
    cleanUpLater(() => standby.stop());
    const primary = openPostgres(server.url, 3);
    cleanUpLater(() => primary.close());
    const control = openPostgres(standby.url, 1);
    cleanUpLater(() => control.close());
    await primary.exclusively((_, runScript) => runScript("create table notes (id bigint primary key)"));

    const reads: ReplicaRead[] = [];
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line).msg) });
    const count = (read: ReplicaRead) => void reads.push(read);
    const proxy = await startProxy(Number(new URL(standby.url).port));
    const url = `postgres://signalbox@127.0.0.1:${proxy.port}/postgres`;
    const replica = createReplica({ url, connectionsMax: 2, primary, log, count });
    cleanUpLater(() => replica.close());
    let notes = 0;
    const write = () => primary.transaction((db) => db.query("insert into notes values ($1)", [notes++]));
    /** How many notes a reader sees, and on which server. */
    const look = async () => {
      const db = await replica.reader();
      const [row] = await db.query<{ count: number; on_replica: boolean }>(
        "select count(*) as count, pg_is_in_recovery() as on_replica from notes",
      );
      return [row?.count, row?.on_replica ? "replica" : "primary"];
    };
    const nextRead = async (): Promise<ReplicaRead | undefined> => {
      await look();
      return reads.at(-1);
    };

    await expect.poll(nextRead).toBe("replica");
    // A caller that has written sees it, whichever server answers.
    for (let round = 0; round < 20; round++) {
      await write();
      expect(await look()).toEqual([notes, reads.at(-1) === "replica" ? "replica" : "primary"]);
    }
    await expect.poll(nextRead).toBe("replica");

    await control.query("select pg_wal_replay_pause()");
    await expect
      .poll(async () => (await control.query<{ state: string }>("select pg_get_wal_replay_pause_state() as state"))[0])
      .toEqual({ state: "paused" });
    await write();
    expect([await look(), reads.at(-1)]).toEqual([[notes, "primary"], "behind"]);
    await control.query("select pg_wal_replay_resume()");
    await expect.poll(nextRead).toBe("replica");
    expect(await look()).toEqual([notes, "replica"]);

    // It accepts connections and answers nothing, first during a list, then before one.
    const reader = await replica.reader();
    proxy.hang();
    expect(await reader.query("select count(*) as count from notes")).toEqual([{ count: notes }]);
    expect([await look(), reads.at(-1)]).toEqual([[notes, "primary"], "away"]);
    proxy.goOn();
    await expect.poll(nextRead, { timeout: 30_000 }).toBe("replica");

    // "`runs/list` and `audit/list` give 500 while other reads work": the address of the primary leads to a standby.
    const misled = createReplica({ url, connectionsMax: 1, primary: control, log, count });
    cleanUpLater(() => misled.close());
    const before = lines.length;
    const [row] = await (await misled.reader()).query("select count(*) as count from notes");
    expect([row, reads.at(-1)]).toEqual([{ count: notes }, "away"]);
    expect(lines.splice(before)).toEqual(["the read replica cannot be used: lists are read from the primary"]);

    // It takes writes of its own now: its data is another's.
    standby.promote();
    await write();
    expect([await look(), reads.at(-1)]).toEqual([[notes, "primary"], "away"]);
    // On a busy machine it may be away for a moment more often.
    expect(lines[0]).toBe("the read replica is behind: lists are read from the primary");
    expect(lines.slice(1)).toEqual(
      Array.from({ length: lines.length - 1 }, (_, index) =>
        index % 2 === 0
          ? "the read replica cannot be used: lists are read from the primary"
          : "the read replica is back",
      ),
    );
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.at(-1)).toContain("cannot be used");
  },
  120_000,
);
