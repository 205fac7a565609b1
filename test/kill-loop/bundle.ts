import { isBuiltin } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { loadedServer } from "../support/server-process.ts";

/**
 * The program in one file, which takes half the time to load: a thousand kills are a thousand starts. Files that it finds beside
 * itself, such as migrations, are found where they were.
 */
export async function bundleProgram(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: loadedServer,
    platform: "node",
    transform: { target: "esnext" },
    logLevel: "silent",
    plugins: [
      {
        name: "as it was",
        resolveId(id) {
          // Native code cannot be bundled.
          if (!id.startsWith("@node-rs/") || isBuiltin(id)) return null;
          return { id: import.meta.resolve(id), external: "absolute" };
        },
        transform(code, id) {
          if (!code.includes("import.meta.url")) return null;
          return { code: code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)), map: null };
        },
      },
    ],
  });
  const file = join(folder, "server.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  return file;
}
