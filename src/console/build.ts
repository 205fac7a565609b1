import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";

/** `node src/console/build.ts FOLDER`: builds the console into FOLDER, compressed. The server does this when it is stale. */

const here = fileURLToPath(new URL(".", import.meta.url));
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("Name the folder to build into.");

// A test run builds it too, with an environment of its own: without this, React's slow development build would be kept.
process.env.NODE_ENV = "production";

const work = `${target}.${process.pid}`;
await build({
  configFile: false,
  root: here,
  base: "/console/",
  logLevel: "warn",
  plugins: [react()],
  resolve: { alias: { "@rjsf/validator-ajv8": join(here, "forms/no-ajv.ts") } },
  build: {
    outDir: work,
    emptyOutDir: true,
    assetsDir: ".",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});

const squeeze = promisify(brotliCompress);
const zip = promisify(gzip);
const isText = /\.(?:js|css|html|svg)$/;
await Promise.all(
  (await readdir(work))
    .filter((name) => isText.test(name))
    .map(async (name) => {
      const bytes = await readFile(join(work, name));
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      await writeFile(join(work, `${name}.br`), await squeeze(bytes, { params }));
      await writeFile(join(work, `${name}.gz`), await zip(bytes, { level: 9 }));
    }),
);

// Two processes may build at once: the first to finish gives its folder the name, and both are the same.
await mkdir(join(target, ".."), { recursive: true });
await rename(work, target).catch(async (error) => {
  await rm(work, { recursive: true, force: true });
  if (!existsSync(target)) throw error;
});
