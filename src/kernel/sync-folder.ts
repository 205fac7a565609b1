import { closeSync, fsyncSync, openSync } from "node:fs";

/** After a power cut, names in the folder are as they are now. The content of a file needs a flush of its own. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    // Some file systems have no fsync of a folder.
    if (!(error instanceof Error && "code" in error && error.code === "EINVAL")) throw error;
  } finally {
    closeSync(handle);
  }
}
