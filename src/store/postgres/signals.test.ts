import { describe, expect, inject, test } from "vitest";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import type { Signal } from "../signals.ts";
import { openPostgres } from "./postgres.ts";
import { createPostgresSignals } from "./signals.ts";

async function startNode(url: string) {
  const db = openPostgres(url, 2);
  cleanUpLater(() => db.close());
  const heard: Signal[] = [];
  const log = createLog("silent", { write: () => {} });
  const signals = createPostgresSignals({ url, db, heard: (signal) => heard.push(signal), log });
  cleanUpLater(() => signals.close());
  return { db, heard, signals };
}

// "LISTEN/NOTIFY to wake workers (polling stays as the safety net)."
describe.skipIf(inject("postgresUrl") === null)("the signals of a node on PostgreSQL", () => {
  test("reach the other nodes, and again after a lost connection; a burst becomes one signal", async () => {
    const url = await newPostgresDatabase();
    const [sender, other] = [await startNode(url), await startNode(url)];
    // Once it listens, a node looks for all kinds of work: something may have been queued before.
    const beginning = ["runs", "deliveries", "events"];
    await expect.poll(() => other.heard, { timeout: 20_000 }).toEqual(beginning);
    for (let count = 0; count < 20; count++) sender.signals.send("runs");
    await expect.poll(() => other.heard, { timeout: 20_000 }).toEqual([...beginning, "runs"]);
    sender.signals.send("deliveries");
    await expect.poll(() => other.heard, { timeout: 20_000 }).toEqual([...beginning, "runs", "deliveries"]);

    await sender.db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'signalbox signals'",
    );
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(8);
    sender.signals.send("events");
    await expect.poll(() => other.heard.slice(8), { timeout: 20_000 }).toEqual(["events"]);
  });
});
