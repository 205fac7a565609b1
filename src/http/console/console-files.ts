import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The built console in memory: about two megabytes, read once. */

export interface ConsoleFile {
  type: string;
  plain: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};

export function readConsole(folder: string): Map<string, ConsoleFile> {
  const read = (name: string): Buffer | null => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path) : null;
  };
  const files = new Map<string, ConsoleFile>();
  for (const name of readdirSync(folder)) {
    const type = types[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) continue;
    files.set(name, {
      type,
      plain: readFileSync(join(folder, name)),
      br: read(`${name}.br`),
      gzip: read(`${name}.gz`),
    });
  }
  return files;
}
