import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { lockShared } from "./process-lock.ts";

const newLockFile = () => join(mkdtempSync(join(tmpdir(), "signalbox-lock-")), "lock");

/** Takes the lock, and returns whether this process is alone. */
async function begin(lockFile: string) {
  let isAlone = false;
  const atWork = await lockShared(lockFile, async () => {
    isAlone = true;
  });
  return { isAlone, ...atWork };
}

test("the first process is alone, and so is the first one after all others have ended", async () => {
  const lockFile = newLockFile();
  const first = await begin(lockFile);
  const second = await begin(lockFile);
  first.release();
  const third = await begin(lockFile);
  expect([first, second, third].map(({ isAlone }) => isAlone)).toEqual([true, false, false]);
  for (const { release } of [second, third]) release();
  const last = await begin(lockFile);
  expect(last.isAlone).toBe(true);
  last.release();
});

test("a killed process releases its lock", async () => {
  const lockFile = newLockFile();
  const module = new URL("process-lock.ts", import.meta.url).href;
  const program = `import { lockShared } from ${JSON.stringify(module)};
    globalThis.lock = await lockShared(${JSON.stringify(lockFile)}, async () => {});
    process.stdout.write("locked");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program]);
  await once(child.stdout, "data");
  const beside = await begin(lockFile);
  beside.release();
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = await begin(lockFile);
  after.release();
  expect([beside.isAlone, after.isAlone]).toEqual([false, true]);
});

test("the work of the first process is done before another one starts, and its failure is reported", async () => {
  const lockFile = newLockFile();
  await expect(lockShared(lockFile, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  let isDone = false;
  const first = await lockShared(lockFile, async () => {
    const other = new DatabaseSync(lockFile, { timeout: 0 });
    expect(() => other.exec("select count(*) from sqlite_master")).toThrow("locked");
    other.close();
    isDone = true;
  });
  expect(isDone).toBe(true);
  first.release();
});
