import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnBothStores, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";
import type { Findings, Harness, HarnessOptions } from "./frame/harness.ts";
import { missingFor } from "./frame/short.ts";
import { faultsIn } from "./load/fault-loop.ts";
import { World } from "./load/world.ts";
import { descriptors, noDescriptors } from "./machine/descriptors.ts";
import { folderFaults, folderFaultsIn } from "./machine/folder.ts";
import { freeze, freezing } from "./machine/freeze.ts";
import { sweep, syscallSweep } from "./syscalls/syscall-sweep.ts";
import { tearCopies, tornLog } from "./syscalls/torn-log.ts";

// The short versions of several harnesses on one server of each store, because its start takes longer than their faults.
describeOnBothStores("a server in trouble loses nothing that it has acknowledged", (store) => {
  const seed = Math.floor(Math.random() * 1e6);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-short-"));
  let world: World;
  beforeAll(async () => {
    const databaseUrl = store === "postgres" ? await newPostgresDatabase() : null;
    world = new World(join(folder, "data"), databaseUrl, freezing.settings);
    await world.start();
  });
  afterAll(async () => {
    await world.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const short = ({ shortCycles: cycles }: Harness): HarnessOptions => ({
    ...{ seed, cycles, store, isShort: true, folder: temporaryFolder() },
    log: () => {},
    newDatabase: () => Promise.reject(new Error("These run on the database of their server.")),
  });
  const expectKept = ({ broken, lost, doubled, faults, acknowledged }: Findings, faultsMin: number) => {
    expect({ seed, broken, lost, doubled }).toEqual({ seed, broken: [], lost: 0, doubled: 0 });
    expect(faults).toBeGreaterThanOrEqual(faultsMin);
    expect(acknowledged).toBeGreaterThan(0);
  };
  test("H1: it stands still for longer than its leases", async () => {
    expectKept(await faultsIn(world, short(freeze), freezing), freeze.shortCycles);
  });

  test.skipIf(missingFor(descriptors).length > 0)("H3: its file descriptors are used up", async () => {
    expectKept(await faultsIn(world, short(descriptors), noDescriptors), descriptors.shortCycles);
  });

  // The files of PostgreSQL are its own.
  if (store === "postgres") return;

  test.skipIf(missingFor(syscallSweep).length > 0)("H2: a write, an fsync or a rename fails", async () => {
    expectKept(await sweep(short(syscallSweep), world), 1);
  });

  test("H13: a second server uses its folder, or its file is damaged", async () => {
    expectKept(await folderFaultsIn(world, short(folderFaults)), 2);
  });

  test("H2: the end of its log is torn", async () => {
    expectKept(await tearCopies(short(tornLog), world), tornLog.shortCycles);
  });
});
