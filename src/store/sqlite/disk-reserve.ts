import { existsSync, rmSync, writeFileSync } from "node:fs";

/**
 * SQLite needs 32 KiB of shared memory beside a file before it reads anything, and a full disk does not have them. So a little
 * room is kept while there is some, and given up when a start needs it.
 */
const reserveBytes = 128 * 1024;

export function keepReserve(file: string): void {
  if (existsSync(file)) return;
  try {
    writeFileSync(file, Buffer.alloc(reserveBytes), { mode: 0o600, flag: "wx" });
  } catch {
    // There is no room for it, or somebody else was faster.
    rmSync(file, { force: true });
  }
}

/** Answers whether there was any. */
export function giveUpReserve(file: string): boolean {
  if (!existsSync(file)) return false;
  rmSync(file, { force: true });
  return true;
}

// SQLite's result codes: 13 disk full, 4874 no room for the shared memory.
export const isForLackOfRoom = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (error.errcode === 13 || error.errcode === 4874);
