import { notedMembers } from "../kernel/large-objects.ts";

/** Weight approximates the cost of writing, reading or copying a value, in characters of JSON. */
export const characterOfNode = 8;

/** The weight of a value, or more than `max` as soon as that is certain: visiting a large value stops early. */
export function weightUpTo(value: unknown, max: number): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && weight <= max) {
    const each = open.pop();
    weight += characterOfNode;
    if (typeof each === "string") weight += each.length;
    else if (Array.isArray(each)) {
      // A list may be far longer than what needs to be visited.
      if (each.length * characterOfNode > max) return max + 1;
      for (const item of each) open.push(item);
    } else if (typeof each === "object" && each !== null) {
      if (notedMembers(each) * characterOfNode > max) return max + 1;
      for (const name in each) {
        weight += name.length;
        if (weight > max) break;
        open.push((each as Record<string, unknown>)[name]);
      }
    }
  }
  return weight;
}
