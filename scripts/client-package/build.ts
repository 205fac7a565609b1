import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { clientDeclarations } from "./declarations.ts";

const entry = fileURLToPath(new URL("../../src/client/client.ts", import.meta.url));

/** Builds `signalbox/client` into a folder: one file of JavaScript for `import`, one for `require`, and their declarations. */
export async function buildClient(folder: string): Promise<void> {
  await build({
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      minify: false,
      lib: { entry, formats: ["es", "cjs"], fileName: (format) => (format === "es" ? "client.js" : "client.cjs") },
    },
  });
  mkdirSync(folder, { recursive: true });
  const declarations = clientDeclarations();
  for (const name of ["client.d.ts", "client.d.cts"]) writeFileSync(join(folder, name), declarations);
}
