import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanUpLater, newStore, temporaryFolder } from "../../test/support/stores.ts";
import { copyStore } from "./backup.ts";
import { raiseMark, wasRestored } from "./restore-detection.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

// "A restored store knows that it was restored", however soon after the backup the store was lost.
test("a backup that is put back by hand looks restored at once, and the store that it was made of does not", async () => {
  const store = await newStore("sqlite");
  const [main] = await store.query<{ file: string }>("pragma database_list");
  const folder = temporaryFolder();
  const marks = join(folder, "us.epoch");
  const isRestored = (opened: typeof store) => wasRestored(opened, marks, async () => false);
  await raiseMark(store, marks, new Date());
  const backup = join(folder, "backup.sqlite");
  await copyStore(main?.file ?? "", backup, () => {});
  expect(await isRestored(store)).toBe(false);

  const putBack = join(folder, "us.sqlite");
  copyFileSync(backup, putBack);
  const again = openSqlite(putBack);
  cleanUpLater(() => again.close());
  expect(await isRestored(again)).toBe(true);
});
