import { expect, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { literalsOfSource, patternsOfContract, repeatsNothing } from "./support/check-expressions.ts";
import {
  type Attack,
  attacksElsewhere,
  attacksOnOperations,
  attacksOnSteps,
  ordinaryCalls,
} from "./support/hostile-attacks.ts";
import { createDeal } from "./support/hostile-deal.ts";
import { isQuick, pauseOf } from "./support/hostile-pause.ts";
import { startHostileWorld } from "./support/hostile-world.ts";
import { nearMatchesOf } from "./support/near-matches.ts";

/**
 * "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." Every operation
 * and every field that takes text, objects or lists gets what is made to stop a server, up to the size that it may have, while
 * another tenant calls. Fails where the loop stood still for 200 ms of its own processor time. Each field gets some kinds,
 * chosen by `SIGNALBOX_HOSTILE_SEED`, and every expression of the source is nearly matched somewhere; with
 * `SIGNALBOX_HOSTILE=all` every field gets every kind, which takes very long.
 */

const expressions = [...literalsOfSource(), ...patternsOfContract().map((source) => ({ source, flags: "u" }))].filter(
  (expression) => !repeatsNothing(expression),
);
const seed = Number(process.env.SIGNALBOX_HOSTILE_SEED ?? 1);
const deal = createDeal(expressions.flatMap(nearMatchesOf), seed, process.env.SIGNALBOX_HOSTILE === "all");

/** As many as the attacker has connections. */
const atOnce = 4;
const isWrong = (status: number): boolean => status === 0 || status === 500;

test("no input blocks the event loop for others, whatever it is and wherever it is sent", {
  timeout: 7_200_000,
}, async () => {
  const world = await startHostileWorld();
  const found: string[] = [];
  let count = 0;
  for (const ordinary of ordinaryCalls(world)) await world.send(ordinary);
  await world.measure();

  const carryOut = async (attack: Attack): Promise<void> => {
    let status = 0;
    const pause = await pauseOf(world, async () => {
      status = await world.send(attack);
    });
    count++;
    if (pause !== null) found.push(`${pause}, ${status}: ${attack.name}`);
    if (isWrong(status)) found.push(`answered ${status}: ${attack.name}`);
  };
  /** A pause of one of them is a pause of all: only then is each carried out alone. */
  const carryOutTogether = async (attacks: Attack[]): Promise<void> => {
    let statuses: number[] = [];
    const areQuick = await isQuick(world, async () => {
      statuses = await Promise.all(attacks.map(world.send));
    });
    if (areQuick && !statuses.some(isWrong)) count += attacks.length;
    else for (const attack of attacks) await carryOut(attack);
  };
  for (const attacks of [attacksElsewhere, attacksOnSteps, attacksOnOperations]) {
    let some: Attack[] = [];
    for (const attack of attacks(world, deal)) {
      if (some.push(attack) < atOnce) continue;
      await carryOutTogether(some);
      some = [];
    }
    await carryOutTogether(some);
  }
  expect(found).toEqual([]);
  expect(deal.undealt()).toEqual([]);
  expect(count).toBeGreaterThan(5 * operations.length);
});
