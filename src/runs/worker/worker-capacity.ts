/*
 * How many runs a process works on at once, and how many of each organization. Runs that a caller starts and waits for
 * count like those from the queue, so a thousand slow runs of one organization leave capacity for the others.
 */

/** The share of free capacity that one organization may take, so that the next organization finds some. */
const share = 3 / 4;
/** The minimum of each organization, whatever the others take. */
const organizationMin = 4;
/** The minimum for runs from the queue, however many callers wait for runs of their own. */
const queuedMin = 8;
/** How many runs one claim takes at most, because all of them may belong to one organization. */
const claimMax = 16;

export interface WorkerCapacity {
  hasRoom(organizationId: string): boolean;
  /** How many may be claimed from the queue now. */
  free(): number;
  /** Organizations whose runs stay in the queue for now. */
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
