import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { repeatingExpressions } from "../../attacks/support/check-expressions.ts";
import { carryOut } from "../../attacks/support/hostile/carry-out.ts";
import { createPart } from "../../attacks/support/hostile/deal.ts";
import { nearMatchesOf } from "../../attacks/support/hostile/near-matches.ts";
import { budgetMilliseconds } from "../../attacks/support/hostile/pause.ts";
import { openHostileWorld } from "../../attacks/support/hostile/world.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { slowInputs } from "./slow-inputs.ts";

/** All of them together give every kind of input to every place. Each has some of every kind for every place. */
const parts = 64;
/** Every place gets the largest input in each part, and the seed says which parts. All 64 take half a day on each store. */
const partsOfRun = 4;

export const hostile: Harness = {
  id: "H9",
  name: "hostile",
  title: `every field, header, cookie, query, path and protocol with input that is made to stop the event loop (a cycle is a part of ${parts})`,
  stores: ["sqlite", "postgres"],
  fullCycles: partsOfRun,
  shortCycles: 1,
  shortTest: "test/attacks/hostile-input.test.ts",
  run,
};

async function run({ seed, cycles, store, folder, newDatabase, log }: HarnessOptions): Promise<Findings> {
  const nearMatches = repeatingExpressions().flatMap(nearMatchesOf);
  const broken: string[] = [];
  let [requests, done, longest, neighbour, slow] = [0, 0, 0, 0, 0];
  for (; done < cycles; done++) {
    const part = (seed + done) % parts;
    const home = join(folder, `part-${part}`);
    mkdirSync(home);
    const settings = store === "postgres" ? { SIGNALBOX_DATABASE_URL_US: await newDatabase() } : {};
    const world = await openHostileWorld(home, settings);
    try {
      const outcome = await carryOut(world, createPart(nearMatches, part, parts), {
        listsSlow: true,
        log: (line) => log(`part ${part}: ${line}`),
      });
      broken.push(...outcome.found.map((sentence) => `Part ${part}: ${sentence}`));
      requests += outcome.count;
      longest = Math.max(longest, outcome.longestMilliseconds);
      neighbour = Math.max(neighbour, outcome.neighbourMilliseconds);
      slow += outcome.slow.length;
      log(`part ${part}: ${JSON.stringify(outcome.statuses)}`);
      // "Nothing … may take more than 50 ms of the event loop."
      for (const line of slowInputs(outcome.slow))
        broken.push(`Part ${part}: more than ${budgetMilliseconds} ms each time: ${line}`);
    } finally {
      await world.close();
    }
  }
  return {
    ...{ cycles: done, faults: requests, acknowledged: null, lost: null, doubled: null, unknown: null },
    ...{ recoverySeconds: [], broken },
    note: `${requests.toLocaleString("en-US")} requests; the event loop stood still for ${longest} ms at most; ${slow} requests took more than ${budgetMilliseconds} ms of it alone; the slowest call of the other tenant took ${neighbour} ms`,
  };
}
