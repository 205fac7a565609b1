import { expect, onTestFailed, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { repeatingExpressions } from "./support/check-expressions.ts";
import { carryOut } from "./support/hostile/carry-out.ts";
import { createSample } from "./support/hostile/deal.ts";
import { nearMatchesOf } from "./support/hostile/near-matches.ts";
import { startHostileWorld } from "./support/hostile/start-world.ts";

/**
 * "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." Every operation
 * and every field that takes text, objects or lists, every protocol, header, cookie, query and path gets what is made to stop a
 * server, up to the size that it may have, while another tenant calls. Fails where the loop stood still for 200 ms
 * (`monitorEventLoopDelay`) of its own processor time, each time of three. Each place gets a few kinds, other ones every day, and every
 * expression of the source is nearly matched somewhere; `npm run harness -- hostile` gives every kind to every place.
 */

/** The same all day, so that a failure can be repeated; and `SIGNALBOX_HOSTILE_SEED` repeats that of another day. */
const seed = Number(process.env.SIGNALBOX_HOSTILE_SEED ?? Math.floor(Date.now() / 86_400_000));

test("no input blocks the event loop for others, whatever it is and wherever it is sent", {
  timeout: 900_000,
}, async () => {
  onTestFailed(() => console.error(`Repeat it with SIGNALBOX_HOSTILE_SEED=${seed}.`));
  const world = await startHostileWorld();
  const deal = createSample(repeatingExpressions().flatMap(nearMatchesOf), seed);
  const { found, count, statuses, statusesOf, ...times } = await carryOut(world, deal);
  if (process.env.SIGNALBOX_HOSTILE_SEED !== undefined)
    console.log(JSON.stringify({ seed, count, statuses, ...times }));
  expect(found, JSON.stringify(times)).toEqual([]);
  expect(deal.undealt()).toEqual([]);
  expect(count).toBeGreaterThan(10 * operations.length);
  // What is too large, or one too many, is refused before it is read: most of it must not be.
  const unread = [413, 414, 429, 431].map((status) => statuses[status] ?? 0);
  expect(Math.max(...unread), JSON.stringify(statuses)).toBeLessThan(count / 50);
  // What is not found is hardly read.
  const isFound = (path: string) => [...(statusesOf.get(path) ?? [])].some((status) => status !== 404);
  expect(operations.map(({ path }) => path).filter((path) => !isFound(path))).toEqual([]);
});
