import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createGzip } from "node:zlib";
import { giveWay } from "../kernel/work-in-slices.ts";
import type { Row } from "../store/db.ts";
import { type Manifest, manifestOf } from "./manifest.ts";
import { jsonPieces } from "./row-as-json.ts";

export interface ArchiveWriter {
  /** Resolves once the line is on its way: a slow disk slows the reader down. */
  write(line: { table: string; row: Row }): Promise<void>;
  /** Bytes of text so far. */
  readonly size: number;
  /** Makes the file and its manifest durable, in this order, and returns the manifest. */
  finish(about: About): Promise<Manifest>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

type About = Omit<Manifest, "format" | "file" | "lines" | "bytes" | "sha256" | "content_sha256">;

/**
 * Writes one archive: JSON Lines, compressed with gzip, readable only by the account of the server. It has the name
 * `.partial` until it is complete.
 */
export async function openArchive(file: string): Promise<ArchiveWriter> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await removePartial(dirname(file));
  const partial = `${file}.partial`;
  const handle = await open(partial, "w", 0o600);
  const content = createHash("sha256");
  const compressed = createHash("sha256");
  let bytes = 0;
  const gzip = createGzip();
  const written = (async () => {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      compressed.update(chunk);
      bytes += chunk.length;
      await handle.appendFile(chunk);
    }
  })();
  // A failure is thrown by `write` or `finish`, whichever comes next.
  written.catch(() => {});
  const wait = giveWay();
  let size = 0;
  let lines = 0;

  async function send(text: string): Promise<void> {
    size += text.length;
    content.update(text);
    if (!gzip.write(text)) await Promise.race([once(gzip, "drain"), written]);
    await wait();
  }

  return {
    async write({ table, row }) {
      for (const piece of jsonPieces({ table, row })) await send(piece);
      await send("\n");
      lines++;
    },
    get size() {
      return size;
    },
    async finish(about) {
      gzip.end();
      await written;
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      const manifest: Manifest = {
        format: 1,
        ...about,
        file: basename(file),
        lines,
        bytes,
        sha256: compressed.digest("hex"),
        content_sha256: content.digest("hex"),
      };
      await writeDurably(manifestOf(file), `${JSON.stringify(manifest, null, 2)}\n`);
      return manifest;
    },
    async discard() {
      gzip.destroy();
      // The file is deleted anyway, whatever state it is in.
      await written.catch(() => {});
      // As above.
      await handle.close().catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

/** What a pass left that was interrupted. Only one pass is made at a time. */
async function removePartial(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(".partial")) await rm(join(folder, name), { force: true });
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  const handle = await open(partial, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
  const folder = await open(join(file, ".."), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
