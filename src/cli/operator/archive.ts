import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findAnchorOfArchive, isSealIntact } from "../../access/audit/anchors.ts";
import { isRegion, type Region, regions } from "../../kernel/regions.ts";
import { type Manifest, manifestOf } from "../../retention/manifest.ts";
import { findArchive } from "../../retention/save-archive.ts";
import { type ArchiveVerdict, readManifest, verifyArchive } from "../../retention/verify-archive.ts";
import { isStoreMade } from "../../start/region/open-database.ts";
import { type Config, type Flags, readConfig } from "../../start/settings/config.ts";
import type { Db } from "../../store/db.ts";
import { CommandRefused, printRows, withStore } from "../as-operator.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminal } from "../terminal/terminal.ts";
import { openSeal } from "./open-seal.ts";

interface ArchiveOptions extends Flags {
  region?: Region;
  json?: true;
}

const configOf = ({ home }: ArchiveOptions): Config => readConfig(terminal().environment, { home });

export async function listArchiveFiles(options: ArchiveOptions): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  for (const file of await manifestsIn(configOf(options), options.region)) {
    const { archive_id, kind, organization_id, records, first_at, last_at, bytes } = await readManifest(file);
    rows.push({ archive_id, kind, organization_id, records, first_at, last_at, bytes, manifest: file });
  }
  printRows(rows, options);
}

export async function verifyArchiveFiles(named: string[], options: ArchiveOptions): Promise<void> {
  const config = configOf(options);
  const files = named.length > 0 ? named.map(existingManifest) : await manifestsIn(config, options.region);
  const verdicts: Verdict[] = [];
  for (const region of regions) {
    const ofRegion: string[] = [];
    for (const file of files) if ((await readManifest(file)).region === region) ofRegion.push(file);
    if (ofRegion.length === 0) continue;
    const verified = (db: Db | null) => verifyEach(ofRegion, db, config, region);
    const hasStore = await isStoreMade(config, region);
    verdicts.push(...(hasStore ? await withStore(config, region, ({ db }) => verified(db)) : await verified(null)));
  }
  printRows(verdicts as unknown as Record<string, unknown>[], options);
  if (verdicts.some(({ valid }) => !valid)) terminal().exitCode = exitCodes.endedBadly;
}

interface Verdict extends ArchiveVerdict {
  /** Whether the store knows it; null if there is no store here. */
  recorded: boolean | null;
}

async function verifyEach(files: string[], db: Db | null, config: Config, region: Region): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const verdict = await verifyArchive(file);
    const manifest = await readManifest(file);
    const known = db && (await findArchive(db, manifest.archive_id));
    const problem =
      verdict.problem ?? (db && known ? await differenceOf(db, known.sha256, manifest, config, region) : null);
    verdicts.push({ ...verdict, valid: problem === null, problem, recorded: db ? known !== null : null });
  }
  return verdicts;
}

/** How an archive differs from what the store knows of it, as a sentence, or null. */
async function differenceOf(
  db: Db,
  sha256: string,
  { archive_id, organization_id, sha256: found, chain }: Manifest,
  config: Config,
  region: Region,
): Promise<string | null> {
  if (sha256 !== found) return "The store knows another hash of the file.";
  if (chain === null) return null;
  const anchor = await findAnchorOfArchive(db, organization_id, archive_id);
  if (!anchor) return "The store has no anchor for this part of the audit log.";
  if (anchor.seq !== chain.last_seq || anchor.hash !== chain.last_hash)
    return `The anchor in the store is row ${anchor.seq} with another hash.`;
  const seal = openSeal(config, region);
  if (seal && !(await isSealIntact(db, anchor, seal))) return "The seal of the anchor in the store is broken.";
  return null;
}

function existingManifest(file: string): string {
  const manifest = file.endsWith(".manifest.json") ? file : manifestOf(file);
  if (existsSync(manifest)) return manifest;
  throw new CommandRefused(`${file} has no manifest beside it: ${manifest} does not exist.`);
}

/** `<archive folder>/<region>/<organization>/…` */
async function manifestsIn({ archiveFolder }: Config, region: Region | undefined): Promise<string[]> {
  if (!existsSync(archiveFolder)) return [];
  const names = await readdir(archiveFolder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".manifest.json"))
    .filter((name) => {
      const [first = ""] = name.split("/");
      return isRegion(first) && (region === undefined || first === region);
    })
    .sort()
    .map((name) => join(archiveFolder, name));
}
