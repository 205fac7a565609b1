import { join } from "node:path";
import { mountSmallDisk, whyNoSmallDisk } from "../../support/databases/mount-small-disk.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import { type Fault, faultLoop } from "../load/fault-loop.ts";
import { World } from "../load/world.ts";

const megabytes = 32;

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
  const disk = mountSmallDisk(join(options.folder, "disk"), megabytes);
  if (disk === null) throw new CannotRun(whyNoSmallDisk);
  let cycle = 0;
  const fault: Fault = {
    lasts: (random) => 100 + random() * 400,
    during,
    async begin(world) {
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
