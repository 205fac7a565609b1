import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "../../kernel/random.ts";
import { isRegion, type Region } from "../../kernel/regions.ts";

export interface Credentials {
  by: "key" | "session";
  projectId: string | null;
  /** What the store knows the key, or the session, by. */
  keyHash: string;
  /** The beginning of the key: enough to count failures by, and no secret. */
  keyPrefix: string;
  /** The region in the key's own text: known without asking anyone. */
  region: Region;
}

// Authentication, rule 3, gives three shapes, and an older client sends a fourth:
//   Bearer :<api_key>     Bearer <project_id>:<api_key>     <project_id>:<api_key>     <project_id>:<api_key>:<region>
// Each is read on every call; the operation decides whether it needs the project.
const shape = /^(?:bearer +)?([A-Za-z0-9_-]{1,64})?:(sbk_(au|eu|us)_[0-9A-Za-z]{49})(?::(au|eu|us))?$/i;
const headerBytesMax = 512;
const prefixCharacters = "sbk_us_".length + 8;

/**
 * Null for every text outside the grammar, a wrong checksum included: the database is never asked about those. What a good
 * text means never changes, so the last ones are remembered; whether the key still opens anything is asked every time.
 */
export function readAuthorization(header: string): Credentials | null {
  const known = remembered.get(header);
  if (known) return known;
  const credentials = header.length > headerBytesMax ? null : parse(header);
  if (!credentials) return null;
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(header, credentials);
  return credentials;
}

const rememberedMax = 500;
const remembered = new Map<string, Credentials>();

function parse(header: string): Credentials | null {
  const [, projectId, apiKey, keyRegion, namedRegion] = shape.exec(header) ?? [];
  if (apiKey === undefined || keyRegion === undefined) return null;
  if (!isRegion(keyRegion) || !hasValidChecksum(apiKey)) return null;
  // The shape with a region is the one that also names its project, and it cannot name another region than its key.
  if (namedRegion !== undefined && (projectId === undefined || namedRegion !== keyRegion)) return null;
  return {
    by: "key",
    projectId: projectId ?? null,
    keyHash: hashOfKey(apiKey),
    keyPrefix: apiKey.slice(0, prefixCharacters),
    region: keyRegion,
  };
}

/** 256 random bits need no stretching (ASVS 6.5.2), and the check runs on every request. */
export const hashOfKey = (apiKey: string): string => hash("sha256", apiKey, "hex");

/** sbk_, the region, 256 random bits, and a checksum that lets garbage and truncated keys be refused at the door. */
export function newApiKey(region: Region): string {
  const body = `sbk_${region}_${randomBase62(43)}`;
  return body + checksumOf(body);
}

function hasValidChecksum(apiKey: string): boolean {
  const body = apiKey.slice(0, -6);
  return apiKey.startsWith("sbk_") && checksumOf(body) === apiKey.slice(-6);
}

export const checksumOf = (body: string): string => toBase62(crc32(body), 6);
