import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpLater } from "../stores.ts";
import { mountSmallDisk, type SmallDisk } from "./mount-small-disk.ts";

export { whyNoSmallDisk } from "./mount-small-disk.ts";

/** Unmounted after the test. Null if this process may not mount; then `whyNoSmallDisk` is the reason. */
export function newSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-disk-"));
  const disk = mountSmallDisk(folder, megabytes);
  if (!disk) {
    rmSync(folder, { recursive: true });
    return null;
  }
  cleanUpLater(async () => {
    disk.unmount();
    rmSync(folder, { recursive: true });
  });
  return disk;
}
