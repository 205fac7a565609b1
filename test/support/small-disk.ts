import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpLater } from "./stores.ts";

/** A disk that can really be full: a memory file system of a fixed size. Unmounted after the test. */
export interface SmallDisk {
  folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Fills what has become free since then. */
  fillAgain(): void;
  /** Frees what `fill` took. */
  free(): void;
}

/** Null if this process may not mount; then `whyNoSmallDisk` is the reason as a sentence. */
export function newSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-disk-"));
  if (!mount(folder, megabytes)) {
    rmSync(folder, { recursive: true });
    return null;
  }
  cleanUpLater(async () => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  const ballast = join(folder, "ballast");
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    fill: () => writeFileSync(ballast, Buffer.alloc(freeBytes())),
    fillAgain: () => appendFileSync(ballast, Buffer.alloc(freeBytes())),
    free: () => rmSync(ballast),
  };
}

export const whyNoSmallDisk = "a disk of a fixed size can only be mounted by root, on Linux, outside most containers";

const mount = (folder: string, megabytes: number): boolean =>
  process.getuid?.() === 0 &&
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "none", folder]).status === 0;
