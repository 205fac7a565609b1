import { describe, expect, test } from "vitest";
import { CapacityExhausted, callCapacity, createCapacity, type Release } from "./capacity.ts";

/** Takes slots for a tenant until none is free at once; those that wait go into `waiting`. */
function fill(capacity: ReturnType<typeof createCapacity>, tenant: string, waiting: Promise<Release>[]): Release[] {
  const taken: Release[] = [];
  for (;;) {
    const slot = capacity.acquire(tenant, 60_000);
    if (typeof slot !== "function") {
      waiting.push(slot);
      return taken;
    }
    taken.push(slot);
  }
}

describe("the capacity of each tenant for outbound calls", () => {
  test("one tenant has 128 slots, and its next call starts when one of its calls ends", async () => {
    const capacity = createCapacity(callCapacity);
    const waiting: Promise<Release>[] = [];
    const [first, ...rest] = fill(capacity, "a", waiting);
    expect(rest).toHaveLength(127);
    expect(typeof capacity.acquire("b", 1000)).toBe("function");
    first?.();
    const release = await waiting[0];
    for (const each of [release, ...rest]) each?.();
    expect(typeof capacity.acquire("a", 1000)).toBe("function");
  });

  test("however many tenants are busy, the next tenant has eight slots", () => {
    const capacity = createCapacity(callCapacity);
    const waiting: Promise<Release>[] = [];
    for (let tenant = 0; tenant < 40; tenant++) fill(capacity, `t${tenant}`, waiting);
    expect(fill(capacity, "next", waiting)).toHaveLength(8);
    for (const each of waiting) each.catch(() => {});
  });

  test("a call that waits too long, or behind a thousand others of its tenant, is refused", async () => {
    const capacity = createCapacity(callCapacity);
    const waiting: Promise<Release>[] = [];
    const taken = fill(capacity, "a", waiting);
    await expect(capacity.acquire("a", 1)).rejects.toThrow(CapacityExhausted);
    for (let more = waiting.length; more < 1000; more++)
      waiting.push(capacity.acquire("a", 60_000) as Promise<Release>);
    await expect(capacity.acquire("a", 60_000)).rejects.toThrow(CapacityExhausted);
    // All of them start in the end, so none times out during another test.
    for (const release of taken) release();
    for (const each of waiting) (await each)();
  });
});
