/** Jobs in line, one line for each organization; the organizations take turns. */
export interface FairQueue<Job> {
  /** At the end of the organization's line. */
  add(organizationId: string, job: Job): void;
  /** At the front, in the order given: they have waited once already. */
  putBack(organizationId: string, jobs: readonly Job[]): void;
  /** The organization whose turn it is, among those with work that may go now; it will be last next time. */
  next(mayGo: (organizationId: string) => boolean): string | null;
  /** Whether there is such an organization; nobody's turn passes. */
  has(mayGo: (organizationId: string) => boolean): boolean;
  /** The first of an organization's jobs. */
  take(organizationId: string): Job | undefined;
  /** Removes every job at the front of a line that has waited too long. */
  dropWhile(isStale: (job: Job) => boolean): { organizationId: string; job: Job }[];
  waitingOf(organizationId: string): number;
  isEmpty(): boolean;
}

/** Round robin: however many jobs one organization has, another's first job waits for at most one turn of each. */
export function createFairQueue<Job>(): FairQueue<Job> {
  // In the order of turns. An organization without jobs is not there, so nothing is kept of it.
  const lines = new Map<string, Job[]>();

  function lineOf(organizationId: string): Job[] {
    let line = lines.get(organizationId);
    if (!line) {
      line = [];
      lines.set(organizationId, line);
    }
    return line;
  }

  function take(organizationId: string): Job | undefined {
    const line = lines.get(organizationId);
    const job = line?.shift();
    if (line?.length === 0) lines.delete(organizationId);
    return job;
  }

  return {
    add: (organizationId, job) => void lineOf(organizationId).push(job),
    putBack(organizationId, jobs) {
      if (jobs.length > 0) lineOf(organizationId).unshift(...jobs);
    },
    next(mayGo) {
      for (const [organizationId, line] of lines) {
        if (!mayGo(organizationId)) continue;
        lines.delete(organizationId);
        lines.set(organizationId, line);
        return organizationId;
      }
      return null;
    },
    has: (mayGo) => lines.keys().some(mayGo),
    take,
    dropWhile(isStale) {
      const dropped: { organizationId: string; job: Job }[] = [];
      for (const [organizationId, line] of lines) {
        while (line[0] !== undefined && isStale(line[0])) dropped.push({ organizationId, job: line.shift() as Job });
        if (line.length === 0) lines.delete(organizationId);
      }
      return dropped;
    },
    waitingOf: (organizationId) => lines.get(organizationId)?.length ?? 0,
    isEmpty: () => lines.size === 0,
  };
}
