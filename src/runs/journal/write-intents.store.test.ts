import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../../test/support/stores.ts";
import { hasOther, otherSql, putIntents, settleIntent } from "./write-intents.store.ts";

// "Unbounded work in one turn": a lead that is updated every minute has more than a thousand rows of one day.
describeOnBothStores("whether another run has written under a name", (kind) => {
  test("is asked of the rows that are open or were settled just now, not of all of them", async () => {
    const store = await newStore(kind);
    const plan = await store.query<{ detail?: string }>(
      `${kind === "sqlite" ? "explain query plan" : "explain"} ${otherSql("$3, $4")}`,
      ["run_9", "2026-01-02", "lead a", "lead b"],
    );
    if (kind === "sqlite") {
      const ranges = plan.map(({ detail = "" }) => /write_intents_by_subject \((.*)\)/.exec(detail)?.[1]);
      expect(ranges.filter(Boolean)).toEqual(["subject=? AND settled_at=?", "subject=? AND settled_at>?"]);
    }
    await store.transaction(async (db) => {
      for (const run of ["run_1", "run_2"]) await putIntents(db, ["lead a", "lead b"], run, "2026-01-01");
      await settleIntent(db, "run_1", "2026-01-01");
    });
    const ask = (since: string, run: string) => hasOther(store, ["lead b", "lead c"], run, since);
    expect(await ask("2026-01-02", "run_9")).toBe(true);
    expect(await ask("2026-01-02", "run_2")).toBe(false);
    expect(await ask("2026-01-01", "run_2")).toBe(true);
  });
});
