import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of deploy/high-availability, changed only where one machine must stand for several. */

const folder = fileURLToPath(new URL("../../../deploy/high-availability/", import.meta.url));

/** One database machine of the files, 10.0.0.11 to 10.0.0.13, as it is here. */
export interface MachineFiles {
  name: string;
  /** A loopback address of its own, so that every machine has the ports of the files. */
  address: string;
  /** The first three numbers of it. */
  network: string;
  folder: string;
}

export const machineFiles = (network: string, number: number, folder: string): MachineFiles => ({
  name: `db${number}`,
  address: `${network}.${10 + number}`,
  network,
  folder: join(folder, `db${number}`),
});

export function fileFor(name: string, place: MachineFiles, programs: string): string {
  return readFileSync(join(folder, name), "utf8")
    .replaceAll("10.0.0.0/24", "127.0.0.0/8")
    .replaceAll("/var/lib/postgresql", join(place.folder, "lib"))
    .replaceAll("/var/run/postgresql", join(place.folder, "run"))
    .replaceAll("/etc/pgbouncer", place.folder)
    .replaceAll("/usr/lib/postgresql/15/bin", programs)
    .replace("listen_addr = *", `listen_addr = ${place.address}`)
    .replace("bind 127.0.0.1:", `bind ${place.network}.1:`)
    .replaceAll("10.0.0.", `${place.network}.`);
}

/** The variables of a file for the first machine, with the name and address of another one. */
export function variablesFor(name: string, place: MachineFiles, programs: string): Record<string, string> {
  const lines = fileFor(name, place, programs)
    .split("\n")
    .filter((line) => /^[A-Z]/.test(line));
  const own = (value: string) =>
    value === "db1" ? place.name : value.replace(`${place.network}.11:`, `${place.address}:`);
  return Object.fromEntries(
    lines.map((line) => {
      const [variable = "", ...value] = line.split("=");
      // This one names every machine.
      return [variable, variable === "ETCD_INITIAL_CLUSTER" ? value.join("=") : own(value.join("="))];
    }),
  );
}

/** The folder of PostgreSQL's programs, or null. */
export function findPostgresPrograms(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(debian, version, "bin")).find((bin) => existsSync(join(bin, "initdb"))) ?? null;
}

/** PostgreSQL refuses to run as root. Null: we are somebody else already. */
export function ownerOfData(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const name = spawnSync("id", ["postgres"]).status === 0 ? "postgres" : "nobody";
  const idOf = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }).trim());
  return { uid: idOf("-u"), gid: idOf("-g") };
}
