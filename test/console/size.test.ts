import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

const bytesMax = 180_000;

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
}

// "First page usable with at most 180 kB of compressed script; editor, charts and forms load when first needed."
test("each page can be the first one with at most 180 kB of compressed script", () => {
  const folder = inject("consoleFolder");
  const chunks = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;
  const start = chunks["index.html"]?.dynamicImports ?? [];
  const pages = start.filter((name) => name !== "main.tsx");
  expect(pages.length).toBeGreaterThan(15);
  const sizes = pages.map((page) => [page, bytesOf(["index.html", "main.tsx", page], chunks, folder)] as const);
  expect(sizes.filter(([, bytes]) => bytes > bytesMax)).toEqual([]);
});

function bytesOf(names: string[], chunks: Record<string, Chunk>, folder: string): number {
  const found = new Set<string>();
  const add = (name: string) => {
    const chunk = chunks[name];
    if (!chunk || found.has(chunk.file)) return;
    found.add(chunk.file);
    chunk.imports?.forEach(add);
  };
  names.forEach(add);
  return [...found].reduce((sum, file) => sum + statSync(join(folder, `${file}.br`)).size, 0);
}
