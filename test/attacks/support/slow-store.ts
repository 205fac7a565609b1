import type { Db, Store } from "../../../src/store/db.ts";

/** A store whose caller stands still, once, at the next statement that matches. */
export function slowStore(real: Store): { store: Store; slowDown(statement: RegExp): void } {
  let slow: RegExp | null = null;
  const slowed = <T extends Db>(db: T): T =>
    new Proxy(db, {
      get(target, name) {
        if (name === "query") {
          return (sql: string, values: never) => {
            if (slow?.test(sql)) {
              slow = null;
              standStill(600);
            }
            return target.query(sql, values);
          };
        }
        if (name === "transaction") {
          return (work: (inside: Db) => Promise<unknown>) => target.transaction((inside) => work(slowed(inside)));
        }
        return Reflect.get(target, name);
      },
    });
  return {
    store: slowed(real),
    slowDown(statement) {
      slow = statement;
    },
  };
}

export function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
