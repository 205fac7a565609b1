import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "./build.ts";

/**
 * What `npm pack` runs before and after. The package that it makes is the typed client alone: the server runs from a clone,
 * and a program that installs a client must not get the server's dependencies. So while npm packs, the manifest and the README are others.
 *
 * The packed manifest is not private: the file can be published. `npm publish` in the clone refuses (`prepublishOnly`).
 */
const here = (name: string): string => join(process.cwd(), name);
const replaced = ["package.json", "README.md"];
/** npm packs every file whose name begins with `README`. */
const keptAs = (name: string): string => here(`.${name}.kept`);

// An interrupted run has left them. Without these files, `git checkout package.json README.md` does the same.
for (const name of replaced) if (existsSync(keptAs(name))) renameSync(keptAs(name), here(name));

if (process.argv[2] !== "after") {
  await buildClient(here("dist/client"));
  const manifest = JSON.parse(readFileSync(here("package.json"), "utf8")) as Manifest;
  // The name `signalbox` in the public registry is somebody else's.
  const name = process.env.PACKAGE_NAME || manifest.name;
  const readme = readFileSync(new URL("package-readme.md", import.meta.url), "utf8");
  for (const each of replaced) renameSync(here(each), keptAs(each));
  writeFileSync(here("package.json"), `${JSON.stringify(clientManifest({ ...manifest, name }), null, 2)}\n`);
  writeFileSync(here("README.md"), readme.replaceAll("signalbox/client", `${name}/client`));
} else {
  rmSync(here("dist/client"), { recursive: true, force: true });
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  engines: Record<string, string>;
}

function clientManifest({ name, version, license, engines }: Manifest) {
  return {
    name,
    version,
    description: "The typed client of Signalbox. It has no dependencies.",
    license,
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
