import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";

/** 256 random bits need no stretching (ASVS 6.5.2). */
export const hashOfKey = (apiKey: string): string => hash("sha256", apiKey, "hex");

/** sbk_, the region, 256 random bits, and a checksum by which malformed keys are refused without a database query. */
export function newApiKey(region: Region): string {
  const body = `sbk_${region}_${randomBase62(43)}`;
  return body + checksumOf(body);
}

export function hasValidChecksum(apiKey: string): boolean {
  const body = apiKey.slice(0, -6);
  return apiKey.startsWith("sbk_") && checksumOf(body) === apiKey.slice(-6);
}

export const checksumOf = (body: string): string => toBase62(crc32(body), 6);
