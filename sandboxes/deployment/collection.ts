/** Records of one kind, found by id and walked newest first. */
export interface Collection<T extends { id: string; createdAt: number }> {
  add(record: T): T;
  find(id: string): T | null;
  remove(record: T): void;
  /** From the newest, or from the first one older than `until`. */
  newestFirst(until?: number | null): Iterable<T>;
  /** This moment, or the next one that no record has: pages are cut by creation time, so it must be unique. */
  freeMoment(at: number): number;
  size(): number;
}

export function createCollection<T extends { id: string; createdAt: number }>(): Collection<T> {
  const byId = new Map<string, T>();
  const oldestFirst: T[] = [];
  const moments = new Set<number>();

  /** How many records are older than this moment. */
  function countBefore(moment: number): number {
    let low = 0;
    let high = oldestFirst.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((oldestFirst[middle]?.createdAt ?? 0) < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(record) {
      byId.set(record.id, record);
      moments.add(record.createdAt);
      const last = oldestFirst.at(-1);
      if (!last || last.createdAt < record.createdAt) oldestFirst.push(record);
      // The clock can be set back, so a new record is not always the newest.
      else oldestFirst.splice(countBefore(record.createdAt), 0, record);
      return record;
    },
    find: (id) => byId.get(id) ?? null,
    remove(record) {
      if (!byId.delete(record.id)) return;
      moments.delete(record.createdAt);
      oldestFirst.splice(countBefore(record.createdAt), 1);
    },
    *newestFirst(until = null) {
      const start = until === null ? oldestFirst.length : countBefore(until);
      for (let index = start - 1; index >= 0; index--) {
        const record = oldestFirst[index];
        if (record) yield record;
      }
    },
    freeMoment(at) {
      let moment = Math.floor(at);
      while (moments.has(moment)) moment++;
      return moment;
    },
    size: () => oldestFirst.length,
  };
}
