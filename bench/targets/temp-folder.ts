import { mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What is kept between runs: the store with a million projects. Everything else is made anew and removed. */
export const keptFolder = join(tmpdir(), "signalbox-bench");

const inMemory = [0x01021994, 0x858458f6];

export function makeTempFolder(): string {
  mkdirSync(keptFolder, { recursive: true });
  const folder = mkdtempSync(join(keptFolder, "run-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  if (inMemory.includes(statfsSync(folder).type)) {
    console.log(`${folder} is in memory: an fsync costs nothing there. Set TMPDIR to a folder on a disk.\n`);
  }
  return folder;
}
