/*
 * How many runs one process works on at once, organization by organization. Runs that a caller starts and waits for are in it like
 * those from the queue: a thousand slow ones of one organization must leave the others theirs.
 */

/** Three quarters of what the others leave, so that whoever comes next finds some. */
const share = 3 / 4;
/** Whatever the others do, so many are left to each. */
const organizationMin = 4;
/** However many callers wait for runs of theirs, so many from the queue are worked on. */
const queuedMin = 8;
/** So many are claimed at a time: what one claim takes may all be one organization's. */
const claimMax = 16;

export interface WorkerCapacity {
  hasRoom(organizationId: string): boolean;
  /** How many may be claimed from the queue now. */
  free(): number;
  /** Those whose runs stay in the queue for now. */
  full(): string[];
  take(organizationId: string, isFromQueue: boolean): () => void;
}

export function createWorkerCapacity(capacity: number): WorkerCapacity {
  const byOrganization = new Map<string, number>();
  let all = 0;
  let fromQueue = 0;

  const shareOf = (own: number): number => Math.max(organizationMin, Math.floor((capacity - (all - own)) * share));
  const isFull = (own: number): boolean => own >= shareOf(own);

  return {
    hasRoom: (organizationId) => !isFull(byOrganization.get(organizationId) ?? 0),
    free: () => Math.min(claimMax, Math.max(capacity - all, queuedMin - fromQueue)),
    full: () => [...byOrganization].filter(([, own]) => isFull(own)).map(([id]) => id),
    take(organizationId, isFromQueue) {
      byOrganization.set(organizationId, (byOrganization.get(organizationId) ?? 0) + 1);
      all++;
      if (isFromQueue) fromQueue++;
      return () => {
        const own = (byOrganization.get(organizationId) ?? 1) - 1;
        if (own === 0) byOrganization.delete(organizationId);
        else byOrganization.set(organizationId, own);
        all--;
        if (isFromQueue) fromQueue--;
      };
    },
  };
}
