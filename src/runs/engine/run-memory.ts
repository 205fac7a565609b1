/*
 * Bounds the memory that runs take up in a process. There are three caps: for one run, for an organization, and for the
 * process. The cap of a run is counted by `weightUpTo`, as users are told: the characters of its JSON, and some more for
 * each value. The other two are shared by runs, and counted in estimated bytes: lists in lists take up seven times their
 * weight. At a boundary, a run above a shared cap waits until another run leaves. A finished step keeps its output in any case, so a run may exceed a
 * cap by one output.
 */

export interface RunMemorySizes {
  /** The cap of one run: above it, no further step begins. */
  runMax: number;
  /** An organization below this never waits, however much the others hold. */
  organizationOwn: number;
  organizationMax: number;
  /** The cap of all runs of the process. */
  allMax: number;
}

const mebi = 1024 * 1024;
export const defaultRunSizes: RunMemorySizes = {
  runMax: 64 * mebi,
  organizationOwn: 16 * mebi,
  organizationMax: 128 * mebi,
  allMax: 256 * mebi,
};

/** The memory of one run. */
export interface MemoryShare {
  /** Without `memory`, where only the weight is known yet. */
  resize(weight: number, memory?: number): void;
  isFull(): boolean;
  /** Resolves when the run may continue; null if it may at once. */
  whenRoom(): Promise<void> | null;
  release(): void;
}

export interface RunMemory {
  readonly sizes: RunMemorySizes;
  open(organizationId: string): MemoryShare;
  /** Of all runs, in estimated bytes. */
  memory(): number;
}

interface Share {
  organizationId: string;
  weight: number;
  memory: number;
}

export function createRunMemory(wanted: Partial<RunMemorySizes> = {}): RunMemory {
  const sizes = { ...defaultRunSizes, ...wanted };
  const byOrganization = new Map<string, number>();
  // One run at a time may continue above a cap, so that waiting runs cannot block each other for ever.
  const ahead = new Map<string, Share>();
  let aheadOfAll: Share | null = null;
  let waiting: { share: Share; resume: () => void }[] = [];
  let all = 0;

  function mayContinue(share: Share): boolean {
    const { organizationId } = share;
    const own = byOrganization.get(organizationId) ?? 0;
    if (own <= sizes.organizationOwn) return true;
    if (all > sizes.allMax) {
      aheadOfAll ??= share;
      return aheadOfAll === share;
    }
    if (own <= sizes.organizationMax) return true;
    if (!ahead.has(organizationId)) ahead.set(organizationId, share);
    return ahead.get(organizationId) === share;
  }

  function setSize(share: Share, weight: number, memory: number): void {
    const change = memory - share.memory;
    share.weight = weight;
    share.memory = memory;
    all += change;
    const own = (byOrganization.get(share.organizationId) ?? 0) + change;
    if (own > 0) byOrganization.set(share.organizationId, own);
    else byOrganization.delete(share.organizationId);
    if (change < 0) resumeWaiting();
  }

  function resumeWaiting(): void {
    const before = waiting;
    waiting = [];
    for (const each of before) {
      if (mayContinue(each.share)) each.resume();
      else waiting.push(each);
    }
  }

  function waitFor(share: Share): Promise<void> {
    return new Promise((resume) => {
      waiting.push({ share, resume });
      // The caps may have changed since the run ahead began to wait.
      resumeWaiting();
    });
  }

  return {
    sizes,
    open(organizationId) {
      const share: Share = { organizationId, weight: 0, memory: 0 };
      return {
        resize: (weight, memory = weight) => setSize(share, weight, memory),
        isFull: () => share.weight > sizes.runMax,
        whenRoom: () => (mayContinue(share) ? null : waitFor(share)),
        release() {
          if (ahead.get(organizationId) === share) ahead.delete(organizationId);
          if (aheadOfAll === share) aheadOfAll = null;
          setSize(share, 0, 0);
          resumeWaiting();
        },
      };
    },
    memory: () => all,
  };
}
