import { statfsSync } from "node:fs";
import { join } from "node:path";
import { mountSmallDisk, whyNoSmallDisk } from "../../support/databases/mount-small-disk.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import { type Fault, faultLoop } from "../load/fault-loop.ts";
import { World } from "../load/world.ts";

/** What the clients write in one cycle on a fast machine, and room for the log of the store. */
const megabytesOf = (cycles: number): number => 32 + 4 * cycles;

/** Reads work on a full disk, and the chain can be checked. */
const during: NonNullable<Fault["during"]> = async ({ port }, writers) => {
  const wrong: string[] = [];
  const [info, chain] = [await writers.read("auth/info"), await writers.read("audit/verify")];
  if (info.status !== 200) wrong.push(`On a full disk, a read got ${info.status}: ${info.text}`);
  if (chain.status !== 200 || chain.body.valid !== true) wrong.push(`On a full disk, audit/verify got ${chain.text}`);
  const health = await fetch(`http://127.0.0.1:${port}/healthz`);
  if (health.status !== 200) wrong.push(`On a full disk, /healthz got ${health.status}.`);
  return wrong;
};

export const diskFull: Harness = {
  id: "H3",
  name: "disk-full",
  title: "the disk is full under load, and has space again; every third time the server is killed on the full disk",
  needs: ["mount", "umount"],
  stores: ["sqlite"],
  fullCycles: 60,
  shortCycles: 2,
  shortTest: "test/harness/machine/disk-full.test.ts",
  run: runDiskFull,
};

async function runDiskFull(options: HarnessOptions): Promise<Findings> {
  const disk = mountSmallDisk(join(options.folder, "disk"), megabytesOf(options.cycles));
  if (disk === null) throw new CannotRun(whyNoSmallDisk);
  let cycle = 0;
  const fault: Fault = {
    lasts: (random) => 100 + random() * 400,
    during,
    async begin(world) {
      if (isNearlyFull(disk.folder)) throw new Error("The data of the harness fill its disk: it is too small.");
      disk.fill();
      const isKilled = ++cycle % 3 === 0;
      return async () => {
        if (isKilled) await world.kill();
        disk.free();
      };
    },
    mayEnd: true,
  };
  try {
    return await faultLoop(options, { fault, world: new World(join(disk.folder, "data"), null) });
  } finally {
    disk.unmount();
  }
}

function isNearlyFull(folder: string): boolean {
  const { bavail, blocks } = statfsSync(folder);
  return bavail < blocks / 5;
}
