import { describe, expect, inject, test } from "vitest";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../../../test/support/stores.ts";
import { createMetrics } from "../../http/metrics.ts";
import { createLog } from "../../kernel/log.ts";
import type { Store } from "../../store/db.ts";
import { openPostgres } from "../../store/postgres/postgres.ts";
import { markRestored } from "../../store/restore-detection.ts";
import { keyRingOf, masterKeyFrom } from "../../vault/sealing/key-ring.ts";
import { readConfig } from "../settings/config.ts";
import { openRegionStore } from "./open-region-store.ts";

const at = new Date("2026-11-19T03:15:00Z");

const queueMail = (store: Store, id: string): Promise<void> =>
  store.transaction(async (db) => {
    const columns = "id, recipient, kind, details, attempts, send_at, created_at";
    const values = [id, "ada@example.com", "invite", "", 0, at.toISOString(), at.toISOString()];
    await db.query(`insert into mails (${columns}) values ($1, $2, $3, $4, $5, $6, $7)`, values);
  });

// "A restored store knows that it was restored", and a command may be killed at any moment.
describe.skipIf(inject("postgresUrl") === null)("a PostgreSQL store whose restore was marked, and no more", () => {
  test("is settled before a server works on it, once, also if two start at once", async () => {
    const url = await newPostgresDatabase();
    const store = openPostgres(url);
    cleanUpLater(() => store.close());
    const mails = async () => (await store.query<{ id: string }>("select id from mails")).map(({ id }) => id);
    await queueMail(store, "early");
    await markRestored(store, at);

    const lines: string[] = [];
    const log = createLog("warn", { write: (line) => lines.push(line) });
    const config = readConfig({ SIGNALBOX_DATABASE_URL_US: url }, { home: temporaryFolder() });
    const ring = keyRingOf(masterKeyFrom(Buffer.alloc(32, 7).toString("base64")));
    const meter = createMetrics().meterOf("us");
    const start = async () => {
      const opened = await openRegionStore(config, "us", { ring, log, now: () => at, meter });
      cleanUpLater(() => opened.store.close());
      return opened.restoredAt;
    };
    expect(await Promise.all([start(), start()])).toEqual([at.toISOString(), at.toISOString()]);
    expect(await mails()).toEqual([]);
    expect(lines.filter((line) => line.includes("Mails that waited"))).toHaveLength(1);

    await queueMail(store, "later");
    await start();
    expect(await mails()).toEqual(["later"]);
  });
});
