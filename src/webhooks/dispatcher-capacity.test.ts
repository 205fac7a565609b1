import { expect, test } from "vitest";
import { createDispatcherCapacity, type Owner } from "./dispatcher-capacity.ts";

const of = (organizationId: string, webhookId: string): Owner => ({ organizationId, webhookId });
const many = (count: number, organizationId: string, webhookId = "webhook"): Owner[] =>
  Array.from({ length: count }, (_, index) => of(organizationId, `${organizationId} ${webhookId} ${index}`));

/** What an organization gets that has very many deliveries, beside what is under way. */
function taken(capacity: ReturnType<typeof createDispatcherCapacity>, underWay: Owner[], wanted: Owner[]): Owner[] {
  const all = [...underWay];
  for (;;) {
    const slots = capacity.slots(all);
    const some = wanted.filter((owner) => !all.includes(owner) && slots.take(owner)).slice(0, slots.free);
    if (some.length === 0) return all.slice(underWay.length);
    all.push(...some);
  }
}

test("an address has ten slots at most, however many deliveries are claimed together", () => {
  const capacity = createDispatcherCapacity();
  const one = Array.from({ length: 30 }, () => of("org", "one"));
  const underWay = taken(capacity, [], one);
  expect(underWay.length).toBe(10);
  const slots = capacity.slots(underWay);
  expect([slots.hasRoom(of("org", "one")), slots.hasRoom(of("org", "other")), slots.free]).toEqual([false, true, 5]);
});

test("an organization alone has three quarters of the slots, and each of the next finds some", () => {
  const capacity = createDispatcherCapacity();
  const underWay: Owner[] = [];
  const counts: number[] = [];
  for (const organizationId of ["a", "b", "c", "d"]) {
    const own = taken(capacity, underWay, many(100, organizationId));
    counts.push(own.length);
    underWay.push(...own);
  }
  expect(counts).toEqual([37, 9, 3, 1]);
  // An organization that holds more than its share of what others have left gets no more until it holds less.
  const left = underWay.filter(({ organizationId }, index) => organizationId !== "a" || index < 20);
  expect(left.filter(({ organizationId }) => organizationId === "a")).toHaveLength(20);
  expect(capacity.slots(left).hasRoomFor("a")).toBe(true);
  expect(capacity.slots(underWay).hasRoomFor("a")).toBe(false);
});

test("no more deliveries are under way than there are slots", () => {
  const underWay = Array.from({ length: 48 }, (_, index) => of(`org ${index}`, `webhook ${index}`));
  expect(createDispatcherCapacity().slots(underWay).free).toBe(2);
  expect(createDispatcherCapacity().slots([...underWay, of("x", "a"), of("x", "b")]).free).toBe(0);
});

test("half of the slots are not for addresses that did not respond last time, until they do", () => {
  const capacity = createDispatcherCapacity();
  const silent = [...many(20, "a", "silent"), ...many(20, "b", "silent"), ...many(20, "c", "silent")];
  for (const { webhookId } of silent) capacity.note(webhookId, false);
  expect(silent.every(capacity.slots([]).hasRoom)).toBe(true);
  // While it is being tried, it gets no second slot.
  const [first = of("", ""), second = of("", "")] = silent;
  expect([first, second].map(capacity.slots([first]).hasRoom)).toEqual([false, true]);
  // One organization's leave some of these slots for those of another.
  const underWay = taken(capacity, [], silent);
  const countOf = (id: string) => underWay.filter(({ organizationId }) => organizationId === id).length;
  expect([countOf("a"), countOf("b"), countOf("c")]).toEqual([18, 5, 2]);
  const slots = capacity.slots(underWay);
  expect(silent.some(slots.hasRoom)).toBe(false);
  expect([slots.free, slots.hasRoom(of("a", "another"))]).toEqual([5, true]);
  for (const { webhookId } of silent) capacity.note(webhookId, true);
  expect(capacity.slots(underWay).hasRoom(silent[19] ?? first)).toBe(true);
});
