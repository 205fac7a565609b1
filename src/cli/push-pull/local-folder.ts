import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromYaml, toYaml } from "../../untrusted/yaml.ts";
import { CommandRefused } from "../exit-codes.ts";
import { canonical, type Kind, kinds, plainValue, type Value } from "./file-kinds.ts";

/** The files, by their paths in the folder: `tools/redeploy.yaml`. */
export function readFiles(folder: string): Map<string, { kind: Kind; value: Value }> {
  const files = new Map<string, { kind: Kind; value: Value }>();
  for (const kind of kinds) {
    const path = join(folder, kind.folder);
    if (!existsSync(path)) continue;
    const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
    for (const name of names.sort()) {
      files.set(`${kind.folder}/${name}`, { kind, value: plainValue(kind, readOne(join(path, name))) });
    }
  }
  return files;
}

function readOne(file: string): Value {
  const read = fromYaml(readFileSync(file, "utf8"), Number.POSITIVE_INFINITY);
  if ("errors" in read) throw new CommandRefused(`${file}: ${read.errors.map(({ detail }) => detail).join("\n  ")}`);
  if (typeof read.value === "object" && read.value !== null && !Array.isArray(read.value)) return read.value as Value;
  throw new CommandRefused(`${file} holds no object.`);
}

export function writeFile(folder: string, file: string, value: Value): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), toYaml(value), { mode: 0o644 });
}

export const deleteFile = (folder: string, file: string): void => rmSync(join(folder, file), { force: true });

/** What a file and its record were when they last were the same. It belongs in the repository, beside the files. */
export interface Synced {
  id: string;
  file: string;
  server: string;
}

export type Lock = Map<string, Synced>;

const lockName = "signalbox.lock.json";

/** Each project has its own part: one folder may serve several, such as staging and production. */
type LockFile = { projects: Record<string, Record<string, Synced>> };

function readLockFile(folder: string): LockFile {
  const file = join(folder, lockName);
  if (!existsSync(file)) return { projects: {} };
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LockFile;
  } catch {
    throw new CommandRefused(`${file} cannot be read. Take it from the repository again, or delete it.`);
  }
}

export const readLock = (folder: string, project: string): Lock =>
  new Map(Object.entries(readLockFile(folder).projects[project] ?? {}));

export function writeLock(folder: string, project: string, lock: Lock): void {
  const { projects } = readLockFile(folder);
  const entries = [...lock].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify({ projects: { ...projects, [project]: Object.fromEntries(entries) } }, null, 2);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, lockName), `${text}\n`, { mode: 0o644 });
}

export const hashOf = (value: Value): string =>
  createHash("sha256").update(canonical(value)).digest("hex").slice(0, 16);
