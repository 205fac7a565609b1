import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { beginWork } from "./at-work.ts";

const newLockFile = () => join(mkdtempSync(join(tmpdir(), "signalbox-at-work-")), "lock");

/** Begins, and answers whether it was told that it is alone. */
async function begin(lockFile: string) {
  let isAlone = false;
  const atWork = await beginWork(lockFile, async () => {
    isAlone = true;
  });
  return { isAlone, ...atWork };
}

test("whoever comes first is alone, and so is whoever comes after all have left", async () => {
  const lockFile = newLockFile();
  const first = await begin(lockFile);
  const second = await begin(lockFile);
  first.leave();
  const third = await begin(lockFile);
  expect([first, second, third].map(({ isAlone }) => isAlone)).toEqual([true, false, false]);
  for (const { leave } of [second, third]) leave();
  const last = await begin(lockFile);
  expect(last.isAlone).toBe(true);
  last.leave();
});

test("a process that is killed is gone, whatever it held", async () => {
  const lockFile = newLockFile();
  const module = new URL("at-work.ts", import.meta.url).href;
  const program = `import { beginWork } from ${JSON.stringify(module)};
    globalThis.atWork = await beginWork(${JSON.stringify(lockFile)}, async () => {});
    process.stdout.write("at work");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program]);
  await once(child.stdout, "data");
  const beside = await begin(lockFile);
  beside.leave();
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = await begin(lockFile);
  after.leave();
  expect([beside.isAlone, after.isAlone]).toEqual([false, true]);
});

test("what the one alone has to do first is done before anybody else begins, and its failure is told", async () => {
  const lockFile = newLockFile();
  await expect(beginWork(lockFile, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  let isDone = false;
  const first = await beginWork(lockFile, async () => {
    const other = new DatabaseSync(lockFile, { timeout: 0 });
    expect(() => other.exec("select count(*) from sqlite_master")).toThrow("locked");
    other.close();
    isDone = true;
  });
  expect(isDone).toBe(true);
  first.leave();
});
