import { isRegion, type Region } from "../../kernel/regions.ts";
import { hashOfKey, hasValidChecksum } from "./api-key-format.ts";

export interface Credentials {
  by: "key" | "session";
  projectId: string | null;
  /** The hash by which the store finds the key or session. */
  keyHash: string;
  /** The start of the key. It identifies the key in counters of failures and is not secret. */
  keyPrefix: string;
  /** The region in the key's text, known without a lookup. */
  region: Region;
}

// Authentication, rule 3, lists three forms. Other clients send two more:
//   Bearer :<api_key>     Bearer <project_id>:<api_key>     <project_id>:<api_key>     <project_id>:<api_key>:<region>
//   Bearer <api_key>
// Every call accepts each form; the operation decides whether it needs the project.
const shape = /^(?:(?:bearer +)?([A-Za-z0-9_-]{1,64})?:|bearer +)(sbk_(au|eu|us)_[0-9A-Za-z]{49})(?::(au|eu|us))?$/i;
const headerBytesMax = 512;
const prefixCharacters = "sbk_us_".length + 8;

/**
 * Returns null for a text that does not match the grammar or has a wrong checksum, without a database query. The result
 * depends on the text alone, so recent results are cached. Whether the key is still valid is checked on every request.
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
  // Only the form with a project may name a region, and it must be the key's own.
  if (namedRegion !== undefined && (projectId === undefined || namedRegion !== keyRegion)) return null;
  return {
    by: "key",
    projectId: projectId ?? null,
    keyHash: hashOfKey(apiKey),
    keyPrefix: apiKey.slice(0, prefixCharacters),
    region: keyRegion,
  };
}
