import { type Db, type Store, StoreUnavailable, type Value } from "../../../src/store/db.ts";

/** A store for one test. Its connections serve the next one, too: new ones plan every statement anew, which takes longer than most tests. */
export interface LentStore {
  store: Store;
  /** From then on it serves nothing. Returns whether its connections are as good as new. */
  end(): Promise<boolean>;
}

const endMilliseconds = 5_000;

export function lend(store: Store): LentStore {
  const running = new Set<Promise<unknown>>();
  let isOver = false;
  let isUsable = true;

  /** What a test leaves running must not reach the next one's rows. */
  const during = <T>(work: () => Promise<T>): Promise<T> => {
    if (isOver)
      return Promise.reject(new StoreUnavailable("unreachable", new Error("The test of this store is over.")));
    const result = work();
    const ended = result.then(
      () => void running.delete(ended),
      () => void running.delete(ended),
    );
    running.add(ended);
    return result;
  };

  const queryOf =
    (db: Pick<Db, "query">) =>
    <R>(text: string, values?: readonly Value[]): Promise<R[]> =>
      during(() => db.query<R>(text, values));

  return {
    store: {
      ...store,
      query: queryOf(store),
      querySlow: (text, values) => during(() => store.querySlow(text, values)),
      reserve: { query: queryOf(store.reserve) },
      transaction: (work) => during(() => store.transaction(work)),
      exclusively(work) {
        // It may change the schema.
        isUsable = false;
        return during(() => store.exclusively(work));
      },
      ...(store.outside && {
        outside(work) {
          isUsable = false;
          return during(() => store.outside?.(work) ?? Promise.resolve(null));
        },
      }),
      close() {
        isUsable = false;
        return store.close();
      },
    },
    async end() {
      isOver = true;
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, endMilliseconds);
      });
      await Promise.race([Promise.all(running), tooLate]);
      clearTimeout(timer);
      return isUsable && running.size === 0;
    },
  };
}
