/**
 * A small seeded generator (mulberry32): the same seed gives the same numbers on every machine.
 * The state is kept as a signed 32-bit number, because that is what the engine stores without allocating.
 */
export class Random {
  private state = 0;

  seed(seed: number): this {
    this.state = seed | 0;
    return this;
  }

  private bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return mixed ^ (mixed >>> 14);
  }

  /** From 0 up to, never reaching, 1. */
  next(): number {
    return (this.bits() >>> 0) / 4294967296;
  }

  /** A whole number from 0 to one less than `count`. */
  below(count: number): number {
    return (((this.bits() >>> 0) * count) / 4294967296) | 0;
  }

  chance(probability: number): boolean {
    return this.bits() >>> 0 < probability * 4294967296;
  }

  /** A seed for another generator. */
  fork(): number {
    return this.bits();
  }
}

/** One well-mixed 32-bit number out of several, for seeds and for traits that belong to an id. */
export function mix(a: number, b: number, c = 0): number {
  let hash =
    Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35) ^ Math.imul(c + 1, 0x27d4eb2f);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  hash = Math.imul(hash, 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** Picks indices by weight through a table of 1,024 slots, one lookup each. */
export function createPicker(weights: readonly number[]): (random: Random) => number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const slots = new Uint16Array(1024);
  let index = 0;
  let reached = (weights[0] ?? 0) / total;
  for (let slot = 0; slot < slots.length; slot++) {
    while ((slot + 0.5) / slots.length > reached && index < weights.length - 1) {
      index++;
      reached += (weights[index] ?? 0) / total;
    }
    slots[slot] = index;
  }
  return (random) => slots[random.below(1024)] ?? 0;
}
