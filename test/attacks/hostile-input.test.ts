import { expect, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import {
  type Attack,
  attacksElsewhere,
  attacksOnOperations,
  attacksOnSteps,
  type Choose,
  ordinaryCalls,
} from "./support/hostile-attacks.ts";
import { isQuick, pauseOf } from "./support/hostile-pause.ts";
import { seeded, someOf } from "./support/hostile-values.ts";
import { startHostileWorld } from "./support/hostile-world.ts";

/**
 * "Nothing that a caller, a tenant or an external system chooses may take more than 50 ms of the event loop." Every operation
 * and every field that takes text, objects or lists gets what is made to stop a server, while another tenant calls. Fails
 * where the loop stood still for 200 ms of its own processor time. Each field gets some kinds, chosen by
 * `SIGNALBOX_HOSTILE_SEED`; with `SIGNALBOX_HOSTILE=all` every kind, which takes hours.
 */

const random = seeded(Number(process.env.SIGNALBOX_HOSTILE_SEED ?? 1));
const choose: Choose = (all, count) =>
  process.env.SIGNALBOX_HOSTILE === "all" ? [...all] : someOf(all, count, random);

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
    for (const attack of attacks(world, choose)) {
      if (some.push(attack) < atOnce) continue;
      await carryOutTogether(some);
      some = [];
    }
    await carryOutTogether(some);
  }
  expect(found).toEqual([]);
  expect(count).toBeGreaterThan(5 * operations.length);
});
