import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendRows } from "../../test/support/calls/audit.ts";
import { commandLine } from "../../test/support/processes/command-line.ts";
import {
  cleanUpLater,
  describeOnBothStores,
  newPostgresDatabase,
  type StoreKind,
  temporaryFolder,
} from "../../test/support/stores.ts";
import { testMasterKey } from "../../test/support/systems/vault.ts";
import { startTeam } from "../../test/support/team.ts";
import { migrate } from "../store/migrate.ts";
import { openPostgres } from "../store/postgres/postgres.ts";
import { readMark } from "../store/restore-detection.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";

/** A store with audit rows, and the command for it. */
async function startWorld(kind: StoreKind) {
  const home = join(temporaryFolder(), "data");
  mkdirSync(home);
  const url = kind === "postgres" ? await newPostgresDatabase() : null;
  const store = url === null ? openSqlite(join(home, "us.sqlite")) : openPostgres(url);
  cleanUpLater(() => store.close());
  await migrate(store, new Date());
  await appendRows(await startTeam(kind, { store }), 2);
  const environment = {
    SIGNALBOX_MASTER_KEY: testMasterKey.key.reveal(),
    ...(url !== null && { SIGNALBOX_DATABASE_URL_US: url }),
  };
  const restore = (...args: string[]) =>
    commandLine(["restore", ...args, "--region", "us", "--home", home, "--json"], environment);
  return { store, restore };
}

// "Restored and verified by a command; a run that was under way when the backup was taken does not send twice after a
// restore (fence by epoch)."
describeOnBothStores("signalbox restore --only-mark", (kind) => {
  test("marks and verifies a store that was restored by other means, and changes no row", async () => {
    const { store, restore } = await startWorld(kind);
    const rows = () => store.query("select organization_id, hash from audit_log order by organization_id, seq");
    const before = { rows: await rows(), mark: await readMark(store) };
    const refused = await restore("--only-mark", "--from", "a.backup");
    expect([refused.code, await readMark(store)]).toEqual([2, before.mark]);

    const marked = await restore("--only-mark");
    expect([marked.code, marked.stderr]).toEqual([0, expect.stringMatching(/^store: /)]);
    const { restored_at: restoredAt, verified } = JSON.parse(marked.stdout);
    expect(verified).toMatchObject({ audit_chains: 1, rows: { audit_log: before.rows.length } });
    expect(await readMark(store)).toMatchObject({ restoredAt, epoch: (before.mark?.epoch ?? 0) + 1 });
    expect(await rows()).toEqual(before.rows);
  });

  test("marks a store with a broken audit chain, too, and says not to start it", async () => {
    const { store, restore } = await startWorld(kind);
    await store.transaction((db) => db.query("update audit_heads set hash = 'forged'"));
    const marked = await restore("--only-mark");
    expect([marked.code, marked.stderr]).toEqual([2, expect.stringContaining("do not start it")]);
    expect((await readMark(store))?.restoredAt).not.toBeNull();
  });
});
