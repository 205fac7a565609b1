import { join } from "node:path";
import { startChild } from "./load/child.ts";
import { peerSetUps } from "./peers/peer-server.ts";
import { peerFolder } from "./peers/peers.ts";
import type { Plan } from "./rounds/compare.ts";
import { inRounds } from "./rounds/rounds.ts";
import { type Line, lineOf } from "./rounds/table.ts";
import { callers } from "./targets/seed.ts";

const goal = 10;

/**
 * Verifying a key, one call after the other inside a process of each side: better-auth does not offer it over HTTP. Each
 * call has the next of a thousand keys, so that nothing remembered of the call before helps. better-auth writes the time
 * of the last use with each verification, where Signalbox gathers those and writes them now and then.
 */
export async function verifyKeys(folder: string, plan: Plan): Promise<Line[]> {
  const peer = new URL("verify-key.ts", peerFolder("better-auth"));
  const sides = [
    startChild("server", new URL("./targets/verify-key.ts", import.meta.url)),
    ...peerSetUps.map(({ journal }) =>
      startChild("server", peer, [join(folder, `verify-${journal}.sqlite`), journal, String(callers)]),
    ),
  ];
  try {
    await Promise.all(sides.map((side) => side.ready));
    const measure = (seconds: number) =>
      sides.map((side) => async () => (await side.ask<object, { perSecond: number }>({ seconds })).perSecond);
    for (const warmUp of measure(2)) await warmUp();
    const [ours = [], ...peers] = await inRounds(plan.rounds, measure(plan.seconds / 2), (round) =>
      console.log(`verify a key: round ${round + 1} of ${plan.rounds}`),
    );
    return peerSetUps.map(({ name, journal }, index) =>
      lineOf("verify a key", "/s", ours, { name, figures: peers[index] ?? [] }, journal === "delete" ? goal : null),
    );
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}
