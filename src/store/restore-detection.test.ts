import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeOnBothStores, newStore, temporaryFolder } from "../../test/support/stores.ts";
import { markRestored, raiseMark, readMark, wasRestored } from "./restore-detection.ts";

describeOnBothStores("the mark of a store", (kind) => {
  test("records when it was restored, and how old the backup was", async () => {
    const store = await newStore(kind);
    expect(await readMark(store)).toBeNull();
    await markRestored(store, new Date("2026-01-02T00:00:00Z"));
    const first = await readMark(store);
    expect(first).toMatchObject({ epoch: 1, restoredAt: "2026-01-02T00:00:00.000Z", restoredFrom: null });
    await raiseMark(store, join(temporaryFolder(), "us.epoch"), new Date("2026-01-03T00:00:00Z"));
    await markRestored(store, new Date("2026-01-04T00:00:00Z"));
    const second = await readMark(store);
    expect(second).toMatchObject({ epoch: 2, restoredFrom: "2026-01-03T00:00:00.000Z" });
    expect(second?.storeId).not.toBe(first?.storeId);
  });
});

// "A crash must never look like a restore."
test("a crash at any moment leaves no mark that looks like a restore; an older or a moved file does", async () => {
  const store = await newStore("sqlite");
  const file = join(temporaryFolder(), "us.epoch");
  const isRestored = () => wasRestored(store, file, async () => false);
  const beside = () => JSON.parse(readFileSync(file, "utf8")) as { store_id: string; mark: number };
  expect(await isRestored()).toBe(false);
  // Interrupted between the first mark beside the store and the first one in it.
  writeFileSync(file, JSON.stringify({ store_id: "any", mark: 0 }));
  expect(await isRestored()).toBe(false);
  await raiseMark(store, file, new Date());
  expect(await isRestored()).toBe(false);
  const before = readFileSync(file);
  await raiseMark(store, file, new Date());
  expect(await isRestored()).toBe(false);
  // Interrupted between the store's mark and the one beside it.
  writeFileSync(file, before);
  expect(await isRestored()).toBe(false);

  await raiseMark(store, file, new Date());
  writeFileSync(file, JSON.stringify({ ...beside(), mark: beside().mark + 1 }));
  expect(await isRestored()).toBe(true);
  writeFileSync(file, JSON.stringify({ ...beside(), store_id: "another" }));
  expect(await isRestored()).toBe(true);
  rmSync(file);
  expect(await isRestored()).toBe(true);
});
