import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  fileFor,
  findPostgresPrograms,
  machineFiles,
  ownerOfData,
  variablesFor,
} from "../harness/failover/configuration.ts";
import { findInstalled, findProgram } from "../support/runner/find-program.ts";
import { temporaryFolder } from "../support/stores.ts";

/** The programs read the files of deploy/high-availability. `npm run harness -- failover` runs the whole cluster. */

const without = "its file of deploy/high-availability is not tested";
const haproxy = findProgram("haproxy", "haproxy", without);
const pgbouncer = findProgram("pgbouncer", "pgbouncer", without);
/** It would bring a dozen packages of Python. */
const patroni = findInstalled("patroni", "patroni", without);
const programs = findPostgresPrograms();

function written(name: string): { file: string; files: ReturnType<typeof machineFiles> } {
  const files = machineFiles(`127.${200 + Math.floor(Math.random() * 50)}.77`, 1, temporaryFolder());
  for (const folder of [files.folder, join(files.folder, "lib"), join(files.folder, "run")]) mkdirSync(folder);
  const file = join(files.folder, name);
  writeFileSync(file, fileFor(name, files, programs ?? ""));
  return { file, files };
}

test.skipIf(!haproxy)("HAProxy accepts its configuration", () => {
  const { file } = written("haproxy.cfg");
  const { status, stderr } = spawnSync(haproxy, ["-c", "-f", file], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test.skipIf(!patroni || !programs)("Patroni accepts its configuration, with the variables of a machine", () => {
  const { file, files } = written("patroni.yml");
  const env = { PATH: process.env.PATH, ...variablesFor("patroni.env", files, programs ?? "") };
  const { stdout, stderr } = spawnSync(patroni, ["--validate-config", file], { encoding: "utf8", env });
  const complaints = (stdout + stderr).split("\n").filter((line) => line !== "");
  // It looks for etcd, too, which does not run here.
  const unreachable = [11, 12, 13].map((number) => `${files.network}.${number}:2379 is not reachable`);
  expect(complaints.map((line) => line.replace(/^.*didn't pass validation: '(.*)'$/, "$1"))).toEqual(unreachable);
});

test.skipIf(!pgbouncer)("PgBouncer starts with its configuration", async () => {
  const { file, files } = written("pgbouncer.ini");
  writeFileSync(join(files.folder, "userlist.txt"), "");
  const owner = ownerOfData();
  if (owner)
    for (const path of [join(files.folder, ".."), files.folder, join(files.folder, "run")])
      chownSync(path, owner.uid, owner.gid);
  const pooler = spawn(pgbouncer, [file], { stdio: ["ignore", "ignore", "pipe"], ...owner });
  let said = "";
  for await (const chunk of pooler.stderr) {
    said += String(chunk);
    if (said.includes("process up")) pooler.kill("SIGKILL");
  }
  expect(said).toContain("process up");
  expect(said).not.toMatch(/ERROR|WARNING|FATAL/);
});
