import { rmSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../support/processes/server-process.ts";
import { findProgram } from "../frame/find-program.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import { World } from "../load/world.ts";
import { type Write, Writers } from "../load/writers.ts";

/**
 * A backup is taken while clients write, and restored over the store once the server has stopped. Whatever was
 * acknowledged before the backup began is there, nothing is there twice, and the server serves it.
 */
export const backupUnderLoad: Harness = {
  id: "H13",
  name: "backup",
  title: "a backup under load, restored: everything that was acknowledged before it is there",
  stores: ["sqlite", "postgres"],
  fullCycles: 10,
  shortCycles: 1,
  shortTest: "test/harness/backup/backup-under-load.test.ts",
  run,
};

async function run(options: HarnessOptions): Promise<Findings> {
  const { cycles, seed, store, folder, log } = options;
  if (store === "postgres" && findProgram("pg_dump") === null) throw new CannotRun("this machine lacks pg_dump");
  const world = await World.of(options);
  const settings = world.databaseUrl === null ? {} : { SIGNALBOX_DATABASE_URL_US: world.databaseUrl };
  const command = (...args: string[]) =>
    runProgram([...args, "--region", "us", "--home", world.home, "--json"], settings);
  const recoverySeconds: number[] = [];
  const broken: string[] = [];
  let [done, acknowledged, lost, doubled] = [0, 0, 0, 0];
  await world.start();
  try {
    for (; done < cycles && broken.length === 0; done++) {
      const writers = new Writers(world, seed + done);
      await writers.once();
      let isOver = false;
      const load = writers.until(() => isOver);
      const before = new Set<Write>(writers.writes.filter(({ state }) => state === "acknowledged"));
      const file = join(folder, `${done}.backup`);
      const taken = await command("backup", "--to", file);
      isOver = true;
      await load;
      writers.close();
      if (taken.code !== 0) broken.push(`backup ended with ${taken.code}: ${taken.output}`);
      acknowledged += writers.count("acknowledged");
      await world.server.stop();
      const stoppedAt = performance.now();
      const restored = await command("restore", "--from", file, "--force");
      if (restored.code !== 0) broken.push(`restore ended with ${restored.code}: ${restored.output}`);
      const verified = await command("audit", "verify");
      if (verified.code !== 0) broken.push(`audit verify ended with ${verified.code}: ${verified.output}`);
      await world.start();
      recoverySeconds.push((performance.now() - stoppedAt) / 1000);
      // What came after the backup began may be in it or not.
      for (const write of writers.writes) if (!before.has(write)) write.state = "unknown";
      const verdict = await world.open((opened) => writers.judge(opened));
      lost += verdict.lost;
      doubled += verdict.doubled;
      broken.push(...writers.broken, ...verdict.broken, ...(await world.flaws()));
      rmSync(file, { force: true });
      log(`${done + 1} backups restored`);
    }
  } finally {
    await world.kill();
  }
  return { cycles: done, faults: done, acknowledged, lost, doubled, unknown: null, recoverySeconds, broken };
}
