import * as z from "zod";
import { retentionKinds } from "./retention-policy.ts";

/** What stands beside each archive file: what it holds, and the hashes that prove it. */
export const manifestShape = z.object({
  format: z.literal(1),
  archive_id: z.string(),
  region: z.string(),
  organization_id: z.string(),
  kind: z.enum(retentionKinds),
  /** The name of the file beside the manifest. */
  file: z.string(),
  /** Runs, events, deliveries or audit rows. */
  records: z.int(),
  /** Lines of the file: a run has a line for itself, for each step and for each large output. */
  lines: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  bytes: z.int(),
  /** Of the compressed file, and of the text in it. */
  sha256: z.string(),
  content_sha256: z.string(),
  created_at: z.string(),
  /** Of the audit log: the part of the chain. `first_hash` is that of the row before the first. */
  chain: z.object({ first_seq: z.int(), first_hash: z.string(), last_seq: z.int(), last_hash: z.string() }).nullable(),
});
export type Manifest = z.output<typeof manifestShape>;

export const manifestOf = (file: string): string => `${file.replace(/\.jsonl\.gz$/, "")}.manifest.json`;
