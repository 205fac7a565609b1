import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { startPgBouncer } from "../../../test/support/databases/postgres.ts";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { openPostgres } from "./postgres.ts";

/** A node of its own that freezes inside a transaction, which has changed the note. */
async function startFrozen(url: string, limitMilliseconds: number) {
  const program = fileURLToPath(new URL("../../../test/support/databases/frozen-node.ts", import.meta.url));
  const node = spawn(process.execPath, [program, url, String(limitMilliseconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUpLater(async () => void node.kill("SIGKILL"));
  const lines = createInterface({ input: node.stdout });
  const nextLine = async () => (await once(lines, "line"))[0] as string;
  expect(await nextLine()).toBe("locked");
  return {
    async wake(): Promise<string> {
      node.kill("SIGCONT");
      return nextLine();
    },
  };
}

// "A node frozen inside a transaction holds row locks, and its organization stands still until it wakes."
describe.skipIf(inject("postgresUrl") === null)("a node that freezes inside a transaction", () => {
  test.for(["the server", "PgBouncer in transaction mode"])(
    "holds its locks no longer than the limit, and nothing it did is kept or acknowledged: connected to %s",
    async (way, { skip }) => {
      const direct = await newPostgresDatabase();
      const pooler = way === "the server" ? null : await startPgBouncer(direct);
      if (typeof pooler === "string") return skip(pooler);
      if (pooler) cleanUpLater(() => pooler.stop());
      const store = openPostgres(direct);
      cleanUpLater(() => store.close());
      await store.exclusively((_db, runScript) =>
        runScript("create table notes (id text primary key, size integer not null); insert into notes values ('a', 0)"),
      );
      const frozen = await startFrozen(pooler?.url ?? direct, 500);
      // Waits for the lock of the frozen node: without a limit, until the deadline of a statement.
      await store.transaction((db) => db.query("update notes set size = size + 1 where id = 'a'"));
      expect(await frozen.wake()).toBe("unreachable, then 1");
    },
  );
});
