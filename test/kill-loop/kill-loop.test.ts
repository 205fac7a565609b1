import { expect, test } from "vitest";
import { killLoopHarness } from "../harness/kills/kill-loop.ts";
import { killLoop } from "./kill-loop.ts";

const { shortCycles: kills } = killLoopHarness;

// R1: "an acknowledged write survives kill -9." The long form is `npm run kill-loop`.
test(`in ${kills} kills under load no acknowledged write is lost, none is there twice, and the audit chain is whole`, async () => {
  const seed = Math.floor(Math.random() * 1e9);
  const { problems, asked, acknowledged, repeated } = await killLoop(kills, seed);
  expect({ seed, problems }).toEqual({ seed, problems: [] });
  // The loop has really loaded the server, and has really cut off calls that were under way.
  expect(acknowledged).toBeGreaterThan(32);
  expect(asked).toBeGreaterThan(acknowledged);
  expect(repeated).toBeGreaterThan(0);
}, 300_000);
