/** Roughly what a value costs to write, read or copy, in characters of JSON. */
export const characterOfNode = 8;

/**
 * The weight of a value as JSON has it, or more than `max` as soon as that is known: however large the value is, the look at
 * it is not.
 */
export function weightUpTo(value: unknown, max: number): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && weight <= max) {
    const each = open.pop();
    weight += characterOfNode;
    if (typeof each === "string") weight += each.length;
    else if (Array.isArray(each)) {
      // Not all at once: a list may be far longer than what is looked at.
      if (each.length * characterOfNode > max) return max + 1;
      for (const item of each) open.push(item);
    } else if (typeof each === "object" && each !== null) {
      for (const name in each) {
        weight += name.length;
        if (weight > max) break;
        open.push((each as Record<string, unknown>)[name]);
      }
    }
  }
  return weight;
}
