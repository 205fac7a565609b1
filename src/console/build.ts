import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, type HtmlTagDescriptor, type Plugin, type Rolldown } from "vite";

/** `node src/console/build.ts FOLDER`: builds the console into FOLDER, compressed. The server does this when it is stale. */

const here = fileURLToPath(new URL(".", import.meta.url));
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("Name the folder to build into.");

// A test run builds it too, with an environment of its own: without this, React's slow development build would be kept.
process.env.NODE_ENV = "production";

// root builds it, and the service reads it as a user of its own. The command line keeps its files from others; these are public.
process.umask(0o022);

const work = `${target}.${process.pid}`;
await build({
  configFile: false,
  root: here,
  base: "/console/",
  logLevel: "warn",
  plugins: [react(), askEarly()],
  resolve: { alias: { "@rjsf/validator-ajv8": join(here, "forms/no-ajv.ts") } },
  build: {
    outDir: work,
    emptyOutDir: true,
    manifest: true,
    assetsDir: ".",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
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
const builds = join(target, "..");
await mkdir(builds, { recursive: true });
// An earlier version let nobody else read this folder. One that belongs to another user stays as it is.
await chmod(builds, 0o755).catch(() => {});
await rename(work, target).catch(async (error) => {
  await rm(work, { recursive: true, force: true });
  if (!existsSync(target)) throw error;
});

/**
 * By itself the bundler makes a file for every set of pages that share something: sixty for one page. What most pages use is one
 * file, and so is what a drop-down needs, and a text field.
 */
function chunkGroups(): Rolldown.CodeSplittingGroup[] {
  const of = (...names: string[]) => new RegExp(`@mantine/core/.*/components/(?:${names.join("|")})/`);
  const field = of("Input", "InputBase", "TextInput", "CloseButton");
  const choice = new RegExp(`/@floating-ui/|${of("Combobox", "Popover", "ScrollArea", "Select", "Portal").source}`);
  return [
    { name: "common", priority: 3, minShareCount: 10, test: (id) => !field.test(id) && !choice.test(id) },
    { name: "field", priority: 2, test: field, includeDependenciesRecursively: false },
    { name: "choice", priority: 1, test: choice, includeDependenciesRecursively: false },
  ];
}

/**
 * The document asks at once for everything that `start.ts` needs in the end, so that nothing waits for another. The colours come
 * first: nothing is drawn before they are known.
 */
function askEarly(): Plugin {
  const scheme = readFileSync(join(here, "scheme.js"));
  const schemeName = `scheme-${createHash("sha256").update(scheme).digest("base64url").slice(0, 8)}.js`;
  return {
    name: "ask-early",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: schemeName, source: scheme });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const program = chunks.find(({ facadeModuleId }) => facadeModuleId === join(here, "main.tsx"));
        if (!program) throw new Error("The build has no chunk of main.tsx.");
        const link = (attrs: Record<string, string>): HtmlTagDescriptor => ({
          tag: "link",
          attrs: { ...attrs, crossorigin: true },
          injectTo: "head",
        });
        return [
          { tag: "script", attrs: { src: `/console/${schemeName}` }, injectTo: "head-prepend" },
          ...[...(program.viteMetadata?.importedCss ?? [])].map((name) =>
            link({ rel: "preload", as: "style", href: `/console/${name}` }),
          ),
          ...[...withImports(program, bundle)].map((name) => link({ rel: "modulepreload", href: `/console/${name}` })),
        ];
      },
    },
  };
}

function withImports(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  found = new Set<string>(),
): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const name of chunk.imports) {
    const next = bundle[name];
    if (next?.type === "chunk") withImports(next, bundle, found);
  }
  return found;
}
