import { expect, test } from "vitest";
import { killLoopOfRuns } from "../../harness/kills/kill-loop-runs.ts";
import { describeOnBothStores, newPostgresDatabase } from "../../support/stores.ts";
import { faultKinds } from "../faults/kinds.ts";
import { runsKillLoop } from "./runs-kill-loop.ts";

// "Every run ends, the sandbox's own log shows no write twice and none lost, every unknown is either settled right or
// asked." The long form is `npm run kill-loop -- runs`.
describeOnBothStores("nodes that are killed and frozen while calls to the systems go wrong in twelve ways", (kind) => {
  test("end every run, write nothing twice, lose nothing, and ask a person where nobody else can tell", async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const postgresUrl = kind === "postgres" ? await newPostgresDatabase() : null;
    const { problems, runs, changes, freezes, faults } = await runsKillLoop({
      kills: killLoopOfRuns.shortCycles,
      freezes: 1,
      seed,
      postgresUrl,
    });
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    // The loop has really loaded the nodes, and every kind of fault has really happened.
    expect(runs).toBeGreaterThan(20);
    expect(changes).toBeGreaterThan(5);
    expect(freezes).toBeGreaterThan(0);
    expect(faultKinds.filter((each) => faults[each] === 0)).toEqual([]);
  }, 300_000);
});
