import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import type { AuditRow } from "../access/audit/audit.ts";
import { fits, type Link } from "../access/audit/verify-chain.ts";
import { type Manifest, manifestOf, manifestShape } from "./manifest.ts";

export interface ArchiveVerdict {
  archive_id: string;
  organization_id: string;
  kind: string;
  file: string;
  records: number;
  valid: boolean;
  /** Why not, as a sentence; null if it is valid. */
  problem: string | null;
}

/** Reads the manifest of an archive, named by either of the two files. */
export async function readManifest(file: string): Promise<Manifest> {
  const text = await readFile(file.endsWith(".manifest.json") ? file : manifestOf(file), "utf8");
  return manifestShape.parse(JSON.parse(text));
}

/** Compares an archive with its manifest, and a part of the audit chain with its hashes. */
export async function verifyArchive(manifestFile: string): Promise<ArchiveVerdict> {
  const manifest = await readManifest(manifestFile);
  const file = join(dirname(manifestFile), manifest.file);
  const problem = await problemOf(file, manifest).catch((error) => `It cannot be read: ${sentenceOf(error)}`);
  return {
    archive_id: manifest.archive_id,
    organization_id: manifest.organization_id,
    kind: manifest.kind,
    file,
    records: manifest.records,
    valid: problem === null,
    problem,
  };
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function problemOf(file: string, manifest: Manifest): Promise<string | null> {
  const compressed = createHash("sha256");
  for await (const chunk of createReadStream(file)) compressed.update(chunk as Buffer);
  if (compressed.digest("hex") !== manifest.sha256) return "The file differs from the hash in its manifest.";
  const content = createHash("sha256");
  let lines = 0;
  let last: Link | null = manifest.chain && { seq: manifest.chain.first_seq - 1, hash: manifest.chain.first_hash };
  for await (const line of linesOf(createReadStream(file).pipe(createGunzip()))) {
    lines++;
    content.update(`${line}\n`);
    if (last === null) continue;
    const { row } = JSON.parse(line) as { row: AuditRow };
    if (row.organization_id !== manifest.organization_id || !fits(last, row))
      return `The audit chain breaks at row ${last.seq + 1}.`;
    last = row;
  }
  if (content.digest("hex") !== manifest.content_sha256) return "The text differs from the hash in its manifest.";
  if (lines !== manifest.lines) return `It has ${lines} lines, and its manifest says ${manifest.lines}.`;
  if (last && (last.seq !== manifest.chain?.last_seq || last.hash !== manifest.chain.last_hash))
    return "The audit chain ends at another row than its manifest says.";
  return null;
}

/** Not with `readline`, which also ends lines at U+2028. */
async function* linesOf(text: NodeJS.ReadableStream): AsyncGenerator<string> {
  text.setEncoding("utf8");
  let pieces: string[] = [];
  for await (const chunk of text) {
    const [first = "", ...others] = String(chunk).split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  if (pieces.join("") !== "") yield pieces.join("");
}
