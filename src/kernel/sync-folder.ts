import { closeSync, fsyncSync, openSync } from "node:fs";

/** Some file systems have no fsync of a folder. */
const unsupported: ReadonlySet<unknown> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** After a power cut, names in the folder are as they are now. The content of a file needs a flush of its own. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && unsupported.has(error.code))) throw error;
  } finally {
    closeSync(handle);
  }
}
