import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const folder = new URL("../../../node_modules/.cache/signalbox-tests/bundles", import.meta.url).pathname;

/** Half the size takes less time to read. Names stay, for those who read a stack. */
const asShort = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

const builtin = "\0builtin:";

const bundled = new Map<string, Promise<string>>();

/**
 * A program in one file, which takes half the time to load: tests start it hundreds of times. Files that it finds beside
 * itself, such as migrations, are found where they were.
 */
export function bundleProgram(entry: string): Promise<string> {
  const made = bundled.get(entry) ?? bundle(entry);
  bundled.set(entry, made);
  return made;
}

/** Named by its content: programs of one test run share compiled code. */
async function bundle(entry: string): Promise<string> {
  const program = await rolldown({
    input: entry,
    platform: "node",
    transform: { target: "esnext" },
    logLevel: "silent",
    plugins: [
      {
        name: "as it was",
        resolveId(id, importer) {
          // What the bundler adds itself comes first, and needs its imports at once.
          if (isBuiltin(id)) return importer?.startsWith("\0") ? null : `${builtin}${id}`;
          // Native code cannot be bundled.
          if (!id.startsWith("@node-rs/")) return null;
          return { id: import.meta.resolve(id), external: "absolute" };
        },
        load(id) {
          if (!id.startsWith(builtin)) return null;
          // An import would read every export, and so load parts of Node that the program does not use.
          const name = JSON.stringify(id.slice(builtin.length));
          return { code: `module.exports = process.getBuiltinModule(${name});`, moduleType: "js" };
        },
        transform(code, id) {
          if (!code.includes("import.meta.url")) return null;
          return { code: code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)), map: null };
        },
      },
    ],
  });
  const { output } = await program.generate({ format: "esm", codeSplitting: false, minify: asShort });
  const { code } = output[0];
  const file = join(folder, `${createHash("sha256").update(code).digest("hex").slice(0, 16)}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    removeOld();
    // Another process may be making the same.
    const half = `${file}.${process.pid}`;
    writeFileSync(half, code);
    renameSync(half, file);
  }
  const now = new Date();
  utimesSync(file, now, now);
  return file;
}

const oldMilliseconds = 86_400_000;

/** Each change of the program leaves one behind, and no run takes a day. */
function removeOld(): void {
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    const stats = statSync(other, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > oldMilliseconds) rmSync(other, { force: true });
  }
}
