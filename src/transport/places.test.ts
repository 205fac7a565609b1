import { describe, expect, test } from "vitest";
import { Crowded, callPlaces, createPlaces, type Leave } from "./places.ts";

/** Takes places for a tenant until there is none at once; those that wait go into `waiting`. */
function fill(places: ReturnType<typeof createPlaces>, tenant: string, waiting: Promise<Leave>[]): Leave[] {
  const taken: Leave[] = [];
  for (;;) {
    const place = places.enter(tenant, 60_000);
    if (typeof place !== "function") {
      waiting.push(place);
      return taken;
    }
    taken.push(place);
  }
}

describe("places of tenants on the way out", () => {
  test("one tenant has 128, and its next call goes when one of its own is over", async () => {
    const places = createPlaces(callPlaces);
    const waiting: Promise<Leave>[] = [];
    const [first, ...rest] = fill(places, "a", waiting);
    expect(rest).toHaveLength(127);
    expect(typeof places.enter("b", 1000)).toBe("function");
    first?.();
    const leave = await waiting[0];
    for (const each of [leave, ...rest]) each?.();
    expect(typeof places.enter("a", 1000)).toBe("function");
  });

  test("however many tenants are busy, whoever comes next has eight", () => {
    const places = createPlaces(callPlaces);
    const waiting: Promise<Leave>[] = [];
    for (let tenant = 0; tenant < 40; tenant++) fill(places, `t${tenant}`, waiting);
    expect(fill(places, "next", waiting)).toHaveLength(8);
    for (const each of waiting) each.catch(() => {});
  });

  test("whoever waits too long, or behind a thousand others of the tenant, is told so", async () => {
    const places = createPlaces(callPlaces);
    const waiting: Promise<Leave>[] = [];
    fill(places, "a", waiting);
    await expect(places.enter("a", 1)).rejects.toThrow(Crowded);
    for (let more = waiting.length; more < 1000; more++) waiting.push(places.enter("a", 60_000) as Promise<Leave>);
    await expect(places.enter("a", 60_000)).rejects.toThrow(Crowded);
  });
});
