import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "./build.ts";

/**
 * What `npm pack` runs before and after. The package that it makes is the typed client alone: the server runs from a clone,
 * and whoever installs a client must not get the server's dependencies. So while npm packs, the manifest is another one.
 */
const manifest = join(process.cwd(), "package.json");
const kept = join(process.cwd(), "package.json.kept");

// An interrupted run has left it. Without this file, `git checkout package.json` does the same.
if (existsSync(kept)) renameSync(kept, manifest);

if (process.argv[2] !== "after") {
  await buildClient(join(process.cwd(), "dist/client"));
  const text = readFileSync(manifest, "utf8");
  writeFileSync(kept, text);
  writeFileSync(manifest, `${JSON.stringify(clientManifest(JSON.parse(text)), null, 2)}\n`);
} else {
  rmSync(join(process.cwd(), "dist/client"), { recursive: true, force: true });
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  private?: boolean;
  engines: Record<string, string>;
}

function clientManifest({ name, version, license, private: isPrivate, engines }: Manifest) {
  return {
    name,
    version,
    description: "The typed client of Signalbox. It has no dependencies.",
    license,
    ...(isPrivate ? { private: true } : {}),
    type: "module",
    sideEffects: false,
    engines,
    exports: {
      "./client": {
        import: { types: "./dist/client/client.d.ts", default: "./dist/client/client.js" },
        require: { types: "./dist/client/client.d.cts", default: "./dist/client/client.cjs" },
      },
      "./package.json": "./package.json",
    },
    // For TypeScript's older resolution, which does not read `exports`.
    typesVersions: { "*": { client: ["./dist/client/client.d.ts"] } },
    files: ["dist/client"],
  };
}
