import { type AnswerMemory, NoRoom } from "../../transport/memory-of-large-answers.ts";

/*
 * Bounds the memory that runs take up in a process. There are three caps: for one run, for an organization, and for the
 * process. The cap of a run is counted by `weightUpTo`, as the documentation says: the characters of its JSON, and some more for
 * each value. The other two are shared by runs, and counted in estimated bytes: lists in lists take up seven times their
 * weight. At a boundary, a run above a shared cap waits until another run leaves. A large answer that arrives in the
 * middle of a step is reserved before it is read, and waits likewise. A finished step keeps its output in any case, so a
 * run may exceed a cap by one small answer.
 */

export interface RunMemorySizes {
  /** The cap of one run: above it, no further step begins. */
  runMax: number;
  /** An organization below this never waits, however much the others hold. */
  organizationOwn: number;
  organizationMax: number;
  /** The cap of all runs of the process. */
  allMax: number;
  /** How long a large answer waits for room. */
  answerMilliseconds: number;
}

const mebi = 1024 * 1024;
export const defaultRunSizes: RunMemorySizes = {
  runMax: 64 * mebi,
  organizationOwn: 16 * mebi,
  organizationMax: 128 * mebi,
  allMax: 256 * mebi,
  answerMilliseconds: 120_000,
};

/** The memory of one run. */
export interface MemoryShare extends AnswerMemory {
  /** Without `memory`, where only the weight is known yet. */
  resize(weight: number, memory?: number): void;
  isFull(): boolean;
  /** Resolves when the run may continue; null if it may at once. */
  whenRoom(): Promise<void> | null;
  /** The step has ended: `resize` counts its output, so its answers are reserved no longer. */
  forgetAnswers(): void;
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
  /** For the answers of the current step. */
  reserved: number;
  isReleased: boolean;
}

interface Waiting {
  /** Whether it need not wait any longer. */
  mayEnd(): boolean;
  resume(): void;
}

export function createRunMemory(wanted: Partial<RunMemorySizes> = {}): RunMemory {
  const sizes = { ...defaultRunSizes, ...wanted };
  const byOrganization = new Map<string, number>();
  // One run at a time may continue above a cap, so that waiting runs cannot block each other for ever.
  const ahead = new Map<string, Share>();
  let aheadOfAll: Share | null = null;
  let waiting: Waiting[] = [];
  let all = 0;

  /** Whether the run may continue with this many bytes more. */
  function mayContinue(share: Share, bytes = 0): boolean {
    const { organizationId } = share;
    const own = (byOrganization.get(organizationId) ?? 0) + bytes;
    if (own <= sizes.organizationOwn) return true;
    if (all + bytes > sizes.allMax) {
      aheadOfAll ??= share;
      return aheadOfAll === share;
    }
    if (own <= sizes.organizationMax) return true;
    if (!ahead.has(organizationId)) ahead.set(organizationId, share);
    return ahead.get(organizationId) === share;
  }

  function count(share: Share, change: number): void {
    all += change;
    const own = (byOrganization.get(share.organizationId) ?? 0) + change;
    if (own > 0) byOrganization.set(share.organizationId, own);
    else byOrganization.delete(share.organizationId);
    if (change < 0) resumeWaiting();
  }

  function setSize(share: Share, weight: number, memory: number): void {
    const change = memory - share.memory;
    share.weight = weight;
    share.memory = memory;
    count(share, change);
  }

  function setReserved(share: Share, bytes: number): void {
    const change = bytes - share.reserved;
    share.reserved = bytes;
    if (change !== 0) count(share, change);
  }

  function mayReserve(share: Share, bytes: number): boolean {
    // The connection broke, and the run left, while its answer waited.
    if (share.isReleased) return true;
    if (bytes > 0 && !mayContinue(share, bytes)) return false;
    setReserved(share, Math.max(0, share.reserved + bytes));
    return true;
  }

  function resumeWaiting(): void {
    const before = waiting;
    waiting = [];
    for (const each of before) {
      if (each.mayEnd()) each.resume();
      else waiting.push(each);
    }
  }

  function wait(mayEnd: () => boolean, resume: () => void): void {
    waiting.push({ mayEnd, resume });
    // The caps may have changed since the run ahead began to wait.
    resumeWaiting();
  }

  const waitForRoom = (share: Share): Promise<void> =>
    new Promise((resolve) => wait(() => mayContinue(share), resolve));

  const waitToReserve = (share: Share, bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let isTooLate = false;
      const timer = setTimeout(() => {
        isTooLate = true;
        reject(new NoRoom());
        resumeWaiting();
      }, sizes.answerMilliseconds);
      const resume = () => {
        clearTimeout(timer);
        resolve();
      };
      wait(() => isTooLate || mayReserve(share, bytes), resume);
    });

  return {
    sizes,
    open(organizationId) {
      const share: Share = { organizationId, weight: 0, memory: 0, reserved: 0, isReleased: false };
      return {
        resize: (weight, memory = weight) => setSize(share, weight, memory),
        isFull: () => share.weight > sizes.runMax,
        whenRoom: () => (mayContinue(share) ? null : waitForRoom(share)),
        reserve: (bytes) => (mayReserve(share, bytes) ? null : waitToReserve(share, bytes)),
        forgetAnswers: () => setReserved(share, 0),
        release() {
          if (ahead.get(organizationId) === share) ahead.delete(organizationId);
          if (aheadOfAll === share) aheadOfAll = null;
          share.isReleased = true;
          setReserved(share, 0);
          setSize(share, 0, 0);
          resumeWaiting();
        },
      };
    },
    memory: () => all,
  };
}

/** The memory of a single step: most have only small answers, which take up no share. */
export function shareOfStep(memory: RunMemory, organizationId: string): AnswerMemory & Pick<MemoryShare, "release"> {
  let share: MemoryShare | null = null;
  return {
    reserve(bytes) {
      share ??= memory.open(organizationId);
      return share.reserve(bytes);
    },
    release: () => share?.release(),
  };
}
