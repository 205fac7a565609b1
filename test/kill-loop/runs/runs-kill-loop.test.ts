import { expect, test } from "vitest";
import { describeOnBothStores, newPostgresDatabase } from "../../support/stores.ts";
import { runsKillLoop } from "./runs-kill-loop.ts";

// "Every run ends, the sandbox's own log shows no write twice and none lost, every unknown is either settled right or
// asked." The long form is `npm run kill-loop -- runs`.
describeOnBothStores("workers that are killed under load", (kind) => {
  test("end every run, write nothing twice, lose nothing, and ask a person where nobody else can tell", async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const postgresUrl = kind === "postgres" ? await newPostgresDatabase() : null;
    const { problems, runs, askedAgain, cutOff } = await runsKillLoop({ kills: 10, seed, postgresUrl });
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    // The loop has really loaded the workers, and has really cut off calls that were under way.
    expect(runs).toBeGreaterThan(50);
    expect(askedAgain).toBeGreaterThan(0);
    expect(cutOff).toBeGreaterThan(0);
  }, 300_000);
});
