import { expect, test } from "vitest";
import { createPlaces } from "./dispatcher-capacity.ts";

const times = (count: number, id: string): string[] => Array.from({ length: count }, () => id);

test("an address has ten places at most, however many are claimed together", () => {
  const places = createPlaces();
  let underWay: string[] = [];
  for (;;) {
    const { free, busy } = places.left(underWay);
    if (busy.includes("one")) break;
    underWay = [...underWay, ...times(free, "one")];
  }
  expect(underWay.length).toBe(10);
  expect(places.left(underWay).free).toBeGreaterThan(0);
});

test("no more are under way than there are places", () => {
  const underWay = Array.from({ length: 48 }, (_, index) => `webhook ${index}`);
  expect(createPlaces().left(underWay).free).toBe(2);
  expect(createPlaces().left([...underWay, "a", "b"]).free).toBe(0);
});

test("half of the places are not for addresses that did not answer when last tried, until they do", () => {
  const places = createPlaces();
  const silent = Array.from({ length: 30 }, (_, index) => `silent ${index}`);
  for (const id of silent) places.note(id, false);
  expect(places.left([]).busy).toEqual([]);
  // One that is being tried waits for that.
  expect(places.left(["silent 0"]).busy).toEqual(["silent 0"]);
  const full = places.left(silent.slice(0, 25));
  expect(new Set(full.busy)).toEqual(new Set(silent));
  expect(full.free).toBeGreaterThan(0);
  for (const id of silent) places.note(id, true);
  expect(places.left(silent.slice(0, 25)).busy).toEqual([]);
});
