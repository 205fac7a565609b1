import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../kill-loop/random.ts";
import { type Outside, startOutside } from "../../kill-loop/runs/outside.ts";
import { runProgram } from "../../support/processes/server-process.ts";
import type { Findings, Harness, HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { type Write, Writers } from "../load/writers.ts";
import { startArchived } from "./archived-postgres.ts";
import { RunsAcross } from "./runs-across.ts";

/**
 * A PostgreSQL with an archive of its log goes back to a moment under load. Whatever was acknowledged before is there, nothing
 * is there twice, and no run that was open at that moment sends a second time what it sent afterwards.
 */
export const pointInTime: Harness = {
  id: "H13",
  name: "point-in-time",
  title: "PostgreSQL goes back to a moment under load: what was acknowledged is there, and no run sends twice",
  needs: ["pg_basebackup"],
  stores: ["postgres"],
  fullCycles: 5,
  shortCycles: 1,
  shortTest: "test/reliability/restore.test.ts",
  isStandIn: true,
  run,
};

async function run({ cycles, seed, folder, log }: HarnessOptions): Promise<Findings> {
  const recoverySeconds: number[] = [];
  const broken: string[] = [];
  let [done, acknowledged, lost, doubled, asked] = [0, 0, 0, 0, 0];
  const outside = await startOutside();
  try {
    for (; done < cycles && broken.length === 0; done++) {
      const found = await goBack(join(folder, String(done)), seed + done, outside);
      recoverySeconds.push(found.seconds);
      broken.push(...found.broken);
      acknowledged += found.acknowledged;
      lost += found.lost;
      doubled += found.doubled;
      asked += found.asked;
      log(`${done + 1}. back after ${found.seconds.toFixed(1)} s; ${acknowledged} acknowledged`);
    }
  } finally {
    await outside.stop();
  }
  const note = `${asked} runs asked a person`;
  return { cycles: done, faults: done, acknowledged, lost, doubled, unknown: null, recoverySeconds, broken, note };
}

async function goBack(folder: string, seed: number, outside: Outside) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const random = seededRandom(seed);
  const database = await startArchived();
  const ends: (() => Promise<unknown>)[] = [() => database.stop()];
  const settings = { SIGNALBOX_SANDBOXES: outside.address };
  try {
    const before = new World(home, database.url, settings);
    ends.push(() => before.kill());
    await before.start();
    const writers = new Writers(before, seed);
    let isOver = false;
    await writers.once();
    const load = writers.until(() => isOver);
    database.takeBase();
    const runs = new RunsAcross(before, outside);
    await runs.start();
    await runs.holdSome();
    await pause(random() * 1_000);
    const acknowledgedBefore = new Set<Write>(writers.writes.filter(({ state }) => state === "acknowledged"));
    const moment = await database.now();
    // What the runs send from here on, the restored store does not know.
    await runs.finish();
    isOver = true;
    await load;
    writers.close();
    await before.server.stop();
    await database.archived();

    const startedAt = performance.now();
    const restored = await database.restore(moment);
    ends.push(() => restored.stop());
    const command = (...args: string[]) =>
      runProgram([...args, "--region", "us", "--home", home, "--json"], { SIGNALBOX_DATABASE_URL_US: restored.url });
    const broken: string[] = [];
    const marked = await command("restore", "--only-mark");
    if (marked.code !== 0) broken.push(`restore --only-mark ended with ${marked.code}: ${marked.output}`);
    const verified = JSON.parse(marked.output || "{}").verified;
    if (!(verified?.audit_chains > 0)) broken.push(`restore --only-mark verified nothing: ${marked.output}`);
    const world = new World(home, restored.url, settings);
    ends.push(() => world.kill());
    await world.start();
    const seconds = (performance.now() - startedAt) / 1000;
    const asked = await runs.finishAgain(world);
    for (const write of writers.writes) if (!acknowledgedBefore.has(write)) write.state = "unknown";
    const verdict = await world.open((opened) => writers.judge(opened));
    broken.push(...writers.broken, ...verdict.broken, ...runs.broken, ...(await world.flaws()));
    return {
      seconds,
      broken,
      asked,
      acknowledged: acknowledgedBefore.size,
      lost: verdict.lost,
      doubled: verdict.doubled + (await runs.doubled()),
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
