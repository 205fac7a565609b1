import type { RegionMeter } from "../kernel/meter.ts";
import { keepTrace } from "../kernel/tracing.ts";
import type { Store } from "./db.ts";

/**
 * The same store, which also counts how long its work takes. A read of SQLite is over when `query` returns, so it is
 * measured without another turn. Works of several callers share a commit, so each keeps the trace of its own caller.
 */
export function measuredStore(store: Store, meter: RegionMeter): Store {
  const isDoneAtOnce = store.kind === "sqlite";
  const measuredQuery =
    (db: Pick<Store, "query">): Store["query"] =>
    (sql, values) => {
      const startedAt = performance.now();
      const result = db.query(sql, values) as Promise<never[]>;
      if (isDoneAtOnce) meter.store("read", (performance.now() - startedAt) / 1000);
      else {
        const measure = () => meter.store("read", (performance.now() - startedAt) / 1000);
        result.then(measure, measure);
      }
      return result;
    };
  return {
    ...store,
    query: measuredQuery(store),
    reserve: { query: measuredQuery(store.reserve) },
    transaction(work) {
      const startedAt = performance.now();
      const result = store.transaction(keepTrace(work));
      const measure = () => meter.store("transaction", (performance.now() - startedAt) / 1000);
      result.then(measure, measure);
      return result;
    },
  };
}
