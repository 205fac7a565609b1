/*
 * What the runs that a process works on keep in memory, counted as `weightUpTo` counts: the characters of its JSON, and some more
 * for each value. A run has a cap of its own. Beyond that, each organization has a share, and all of them together have one: a run
 * that comes to a boundary while its share is taken waits there until another one leaves. What a step brings is never refused
 * after it was done, so each run may be one answer above.
 */

export interface RunMemorySizes {
  /** What one run may keep: above it, no further step is begun. */
  runMax: number;
  /** Whatever the others do, an organization that keeps no more than this waits for nobody. */
  organizationOwn: number;
  organizationMax: number;
  /** All runs of the process together. */
  allMax: number;
}

const mebi = 1024 * 1024;
export const standardRunSizes: RunMemorySizes = {
  runMax: 64 * mebi,
  organizationOwn: 16 * mebi,
  organizationMax: 128 * mebi,
  allMax: 256 * mebi,
};

/** The part of one run. */
export interface RunPart {
  /** So much it keeps now. */
  keeps(weight: number): void;
  isFull(): boolean;
  /** Resolves when the run may go on; null where it may at once. */
  room(): Promise<void> | null;
  leave(): void;
}

export interface RunMemory {
  readonly sizes: RunMemorySizes;
  enter(organizationId: string): RunPart;
  /** Of all runs. */
  weight(): number;
}

interface Part {
  organizationId: string;
  weight: number;
}

export function createRunMemory(wanted: Partial<RunMemorySizes> = {}): RunMemory {
  const sizes = { ...standardRunSizes, ...wanted };
  const byOrganization = new Map<string, number>();
  // One run at a time goes on above a share, so that those that wait for each other come to an end.
  const ahead = new Map<string, Part>();
  let aheadOfAll: Part | null = null;
  let waiting: { part: Part; goOn: () => void }[] = [];
  let all = 0;

  function mayGoOn(part: Part): boolean {
    const { organizationId } = part;
    const own = byOrganization.get(organizationId) ?? 0;
    if (own <= sizes.organizationOwn) return true;
    if (all > sizes.allMax) {
      aheadOfAll ??= part;
      return aheadOfAll === part;
    }
    if (own <= sizes.organizationMax) return true;
    if (!ahead.has(organizationId)) ahead.set(organizationId, part);
    return ahead.get(organizationId) === part;
  }

  function setWeight(part: Part, weight: number): void {
    const change = weight - part.weight;
    part.weight = weight;
    all += change;
    const own = (byOrganization.get(part.organizationId) ?? 0) + change;
    if (own > 0) byOrganization.set(part.organizationId, own);
    else byOrganization.delete(part.organizationId);
    if (change < 0) lookAgain();
  }

  function lookAgain(): void {
    const before = waiting;
    waiting = [];
    for (const each of before) {
      if (mayGoOn(each.part)) each.goOn();
      else waiting.push(each);
    }
  }

  function waitFor(part: Part): Promise<void> {
    return new Promise((goOn) => {
      waiting.push({ part, goOn });
      // Whoever is ahead may have begun to wait when the shares stood differently.
      lookAgain();
    });
  }

  return {
    sizes,
    enter(organizationId) {
      const part: Part = { organizationId, weight: 0 };
      return {
        keeps: (weight) => setWeight(part, weight),
        isFull: () => part.weight > sizes.runMax,
        room: () => (mayGoOn(part) ? null : waitFor(part)),
        leave() {
          if (ahead.get(organizationId) === part) ahead.delete(organizationId);
          if (aheadOfAll === part) aheadOfAll = null;
          setWeight(part, 0);
          lookAgain();
        },
      };
    },
    weight: () => all,
  };
}
