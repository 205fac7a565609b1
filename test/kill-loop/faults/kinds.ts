/** The twelve ways in which a call to a system goes wrong here. */
export const faultKinds = [
  /** The system's own refusals. After a 500 it has carried the call out or not. */
  "429",
  "500",
  "503",
  /** The connection is closed: before the system has the request, after it has carried it out, or while it works on it. */
  "cut before",
  "cut after",
  "cut while working",
  /** Half of the body, then the connection is closed. */
  "half an answer",
  /** Bytes that are no HTTP. */
  "garbage",
  /** The connection is reset after the system has carried the call out. */
  "reset after",
  /** The system has carried the call out, and its answer comes after the caller's time-out. */
  "late answer",
  "delay",
  "long delay",
] as const;

export type FaultKind = (typeof faultKinds)[number];
export type FaultCounts = Record<FaultKind, number>;

export const noFaults = (): FaultCounts => Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as FaultCounts;

/** Kinds in an order that the seed decides. Each is dealt once before any is dealt again. */
export class FaultDeck {
  readonly #random: () => number;
  #left: FaultKind[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Null where no kind that is left fits the call; those wait for a call that they fit. */
  deal(fits: (kind: FaultKind) => boolean): FaultKind | null {
    if (this.#left.length === 0) this.#left = shuffled(faultKinds, this.#random);
    const index = this.#left.findIndex(fits);
    return index < 0 ? null : (this.#left.splice(index, 1)[0] ?? null);
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1));
    [mixed[last], mixed[chosen]] = [mixed[chosen] as T, mixed[last] as T];
  }
  return mixed;
}
