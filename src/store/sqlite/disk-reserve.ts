import { existsSync, rmSync, writeFileSync } from "node:fs";

/**
 * SQLite needs 32 KiB of shared memory beside a file before it can read, which a full disk lacks. So a small file
 * reserves space, and is deleted when a start needs it.
 */
const reserveBytes = 128 * 1024;

export function keepReserve(file: string): void {
  if (existsSync(file)) return;
  try {
    writeFileSync(file, Buffer.alloc(reserveBytes), { mode: 0o600, flag: "wx" });
  } catch {
    // The disk is full, or another process created the file first.
    rmSync(file, { force: true });
  }
}

/** Returns whether there was a reserve. */
export function releaseReserve(file: string): boolean {
  if (!existsSync(file)) return false;
  rmSync(file, { force: true });
  return true;
}

// SQLite's result codes: 13 disk full, 4874 no space for the shared memory.
export const isForLackOfRoom = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (error.errcode === 13 || error.errcode === 4874);
