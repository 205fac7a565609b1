import { type Capacity, CapacityExhausted, type Release } from "./capacity.ts";
import { SendFailed } from "./send-failed.ts";

/** Above this size an answer counts as large. */
export const largeBytes = 256 * 1024;

/**
 * An answer that turned out to be large. It waits until there is room for it, with the connection paused or before it is
 * parsed. So a hostile system costs its tenant the memory of a few large answers, not one per call. Nothing is sent again
 * because of it.
 */
export interface LargeAnswer {
  /**
   * The answer takes up this many bytes from now on. Null if it may do so at once; otherwise resolves when there is room,
   * or rejects with SendFailed.
   */
  take(bytes: number): Promise<void> | null;
  /** Frees what it took, unless a caller keeps the answer and frees it itself. */
  end(isRead: boolean): void;
}

/** Where a caller counts the answers that it keeps. */
export interface AnswerMemory {
  /**
   * Reserves that many bytes more; below zero, gives them back. Null if there is room at once; otherwise resolves when
   * there is, or rejects with NoRoom.
   */
  reserve(bytes: number): Promise<void> | null;
}

/** The wait for memory took too long. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

const noRoom = (cause: unknown): SendFailed =>
  new SendFailed(
    "too large",
    "maybe",
    "The response is large, and other responses and runs of this organization used its memory for too long.",
    { cause },
  );

const failedWait = (error: unknown): never => {
  throw error instanceof NoRoom || error instanceof CapacityExhausted ? noRoom(error) : error;
};

/** The answer of a caller that counts bytes. */
export function createReservedAnswer(memory: AnswerMemory): LargeAnswer {
  let taken = 0;
  let isOver = false;
  let waiting: Promise<void> | null = null;

  function take(bytes: number): Promise<void> | null {
    // A system that closes the connection completes its answer, though it was to wait.
    if (waiting) return waiting.then(() => (isOver ? undefined : (take(bytes) ?? undefined)));
    const more = bytes - taken;
    const room = memory.reserve(more);
    if (!room) {
      taken = bytes;
      return null;
    }
    waiting = room.then(() => {
      waiting = null;
      // The call was given up meanwhile.
      if (isOver) memory.reserve(-more);
      else taken = bytes;
    }, failedWait);
    return waiting;
  }

  return {
    take,
    end(isRead) {
      isOver = true;
      if (!isRead && taken > 0) memory.reserve(-taken);
    },
  };
}

/** The answer of any other caller takes one of its tenant's few slots while it is read. */
export function createSlottedAnswer(capacity: Capacity, tenant: string, milliseconds: number): LargeAnswer {
  let release: Release | null = null;
  let isOver = false;
  let waiting: Promise<void> | null = null;

  const holdSlot = (slot: Release): void => {
    if (isOver) slot();
    else release = slot;
  };

  return {
    take() {
      if (release) return null;
      // As above: the complete answer waits for the same slot. A second slot would never be freed.
      if (waiting) return waiting;
      const slot = capacity.acquire(tenant, milliseconds);
      if (typeof slot !== "function") {
        waiting = slot.then(holdSlot, failedWait);
        return waiting;
      }
      holdSlot(slot);
      return null;
    },
    end() {
      isOver = true;
      release?.();
      release = null;
    },
  };
}
