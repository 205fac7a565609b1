import { expect, test } from "vitest";
import { type Store, StoreUnavailable } from "../../../src/store/db.ts";
import { newStore } from "../stores.ts";
import { lend } from "./lent-store.ts";

test("a lent store serves its test, and nothing that the test leaves running afterwards", async () => {
  const real = await newStore("sqlite");
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow: Store = { ...real, querySlow: (text, values) => held.then(() => real.querySlow(text, values)) };
  const { store, end } = lend(slow);
  expect(await store.query("select 1 as one")).toEqual([{ one: 1 }]);
  const open = store.querySlow("select 2 as two", []);
  const ended = end();
  await expect(store.query("select 3 as three")).rejects.toThrow(StoreUnavailable);
  await expect(store.transaction(async () => {})).rejects.toThrow(StoreUnavailable);
  finish();
  expect(await open).toEqual([{ two: 2 }]);
  expect(await ended).toBe(true);
});

test("a store whose schema may have changed, or that was closed, does not serve the next test", async () => {
  const changed = lend(await newStore("sqlite"));
  await changed.store.exclusively(async () => {});
  expect(await changed.end()).toBe(false);
  const closed = lend(await newStore("sqlite"));
  await closed.store.close();
  expect(await closed.end()).toBe(false);
});
