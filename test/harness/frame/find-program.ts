import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders of PATH, of the system's own programs, and of Debian's PostgreSQL, which is on no PATH. */
function folders(): string[] {
  const postgres = "/usr/lib/postgresql";
  const versions = existsSync(postgres) ? readdirSync(postgres).sort((a, b) => Number(b) - Number(a)) : [];
  const own = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
  return [...own, "/usr/sbin", "/sbin", ...versions.map((version) => join(postgres, version, "bin"))];
}

/** The path of a program on this machine. */
export function findProgram(name: string): string | null {
  return (
    folders()
      .map((folder) => join(folder, name))
      .find(isProgram) ?? null
  );
}

export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === null) throw new Error(`${name} is not on this machine.`);
  return path;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
