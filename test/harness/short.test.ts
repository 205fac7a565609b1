import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/stores.ts";
import { findProgram } from "./frame/find-program.ts";
import type { Findings, HarnessOptions } from "./frame/harness.ts";
import { faultsIn } from "./load/fault-loop.ts";
import { World } from "./load/world.ts";
import { noDescriptors } from "./machine/descriptors.ts";
import { folderFaultsIn } from "./machine/folder.ts";
import { freezing } from "./machine/freeze.ts";
import { sweep } from "./syscalls/syscall-sweep.ts";
import { tearCopies } from "./syscalls/torn-log.ts";

// The short versions of several harnesses on one server, because its start takes longer than their faults.
describe("a server in trouble loses nothing that it has acknowledged", () => {
  const seed = Math.floor(Math.random() * 1e6);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-short-"));
  let world: World;
  beforeAll(async () => {
    world = new World(join(folder, "data"), null, freezing.settings);
    await world.start();
  });
  afterAll(async () => {
    await world.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const short = (cycles: number): HarnessOptions => ({
    ...{ seed, cycles, store: "sqlite", isShort: true, folder: temporaryFolder() },
    log: () => {},
    newDatabase: () => Promise.reject(new Error("These run on SQLite.")),
  });
  const expectKept = ({ broken, lost, doubled, faults, acknowledged }: Findings, faultsMin: number) => {
    expect({ seed, broken, lost, doubled }).toEqual({ seed, broken: [], lost: 0, doubled: 0 });
    expect(faults).toBeGreaterThanOrEqual(faultsMin);
    expect(acknowledged).toBeGreaterThan(0);
  };
  test("H1: it stands still for longer than its leases", async () => {
    expectKept(await faultsIn(world, short(1), freezing), 1);
  });

  test.skipIf(findProgram("prlimit") === null)("H3: its file descriptors are used up", async () => {
    expectKept(await faultsIn(world, short(1), noDescriptors), 1);
  });

  test.skipIf(findProgram("strace") === null)("H2: a write, an fsync or a rename fails", async () => {
    expectKept(await sweep(short(3), world), 1);
  });

  test("H13: a second server uses its folder, or its file is damaged", async () => {
    expectKept(await folderFaultsIn(world, short(1), true), 2);
  });

  test("H2: the end of its log is torn", async () => {
    expectKept(await tearCopies(short(30), world), 30);
  });
});
