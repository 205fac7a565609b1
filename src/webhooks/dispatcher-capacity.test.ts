import { expect, test } from "vitest";
import { createDispatcherCapacity } from "./dispatcher-capacity.ts";

const times = (count: number, id: string): string[] => Array.from({ length: count }, () => id);

test("an address has ten slots at most, however many deliveries are claimed together", () => {
  const capacity = createDispatcherCapacity();
  let underWay: string[] = [];
  for (;;) {
    const { free, busy } = capacity.left(underWay);
    if (busy.includes("one")) break;
    underWay = [...underWay, ...times(free, "one")];
  }
  expect(underWay.length).toBe(10);
  expect(capacity.left(underWay).free).toBeGreaterThan(0);
});

test("no more deliveries are under way than there are slots", () => {
  const underWay = Array.from({ length: 48 }, (_, index) => `webhook ${index}`);
  expect(createDispatcherCapacity().left(underWay).free).toBe(2);
  expect(createDispatcherCapacity().left([...underWay, "a", "b"]).free).toBe(0);
});

test("half of the slots are not for addresses that did not respond last time, until they do", () => {
  const capacity = createDispatcherCapacity();
  const silent = Array.from({ length: 30 }, (_, index) => `silent ${index}`);
  for (const id of silent) capacity.note(id, false);
  expect(capacity.left([]).busy).toEqual([]);
  // While it is being tried, it gets no second slot.
  expect(capacity.left(["silent 0"]).busy).toEqual(["silent 0"]);
  const full = capacity.left(silent.slice(0, 25));
  expect(new Set(full.busy)).toEqual(new Set(silent));
  expect(full.free).toBeGreaterThan(0);
  for (const id of silent) capacity.note(id, true);
  expect(capacity.left(silent.slice(0, 25)).busy).toEqual([]);
});
