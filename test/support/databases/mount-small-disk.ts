import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A disk that can really be full: a memory file system of a fixed size. */
export interface SmallDisk {
  folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Fills what has become free since then. */
  fillAgain(): void;
  /** Frees what `fill` took. */
  free(): void;
  unmount(): void;
}

export const whyNoSmallDisk = "a disk of a fixed size can only be mounted by root, on Linux, outside most containers";

/** Null if this process may not mount; then `whyNoSmallDisk` is the reason as a sentence. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | null {
  mkdirSync(folder, { recursive: true });
  if (!mount(folder, megabytes)) return null;
  const ballast = join(folder, "ballast");
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    fill: () => untilFull(() => writeFileSync(ballast, Buffer.alloc(freeBytes()))),
    fillAgain: () => untilFull(() => appendFileSync(ballast, Buffer.alloc(freeBytes()))),
    free: () => rmSync(ballast),
    unmount() {
      execFileSync("umount", ["--lazy", folder]);
    },
  };
}

/** A server that writes at the same moment takes some of the space first. */
function untilFull(write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

const mount = (folder: string, megabytes: number): boolean =>
  process.getuid?.() === 0 &&
  process.platform === "linux" &&
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "none", folder]).status === 0;
