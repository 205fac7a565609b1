import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type FirstRunRegion, readFirstRun } from "../../src/start/first-run.ts";
import { findStep, type SystemId } from "../../src/systems/index.ts";
import { startServer } from "../support/server-process.ts";
import { temporaryFolder } from "../support/stores.ts";
import { type Block, blocksOf, root, userDocuments } from "./documents.ts";

// "Every example in them, README included, is executed in npm test."
const run = promisify(execFile);

/** Documents whose commands need a machine of their own, or are shown by tests of their own. */
const elsewhere: Record<string, string> = {
  "docs/addresses.md": "settings, and no commands",
  "docs/connect/google-analytics.md": "an account at the vendor",
  "docs/connect/marketo.md": "an account at the vendor",
  "docs/connect/vercel.md": "an account at the vendor",
  "docs/cli.md": "src/cli and test/cli",
  "docs/mcp.md": "the commands of assistants; test/journeys/assistant.test.ts",
  "docs/production.md": "a machine with TLS, containers and services",
  "docs/monitoring.md": "Prometheus and Grafana",
};

/** Commands that start or install the server, and calls with values that only the reader has. */
const isForReader = (code: string): boolean =>
  /^(?:npm|git) /m.test(code) ||
  /signalbox\.example|<TOKEN>|--credentials|…|^\.\/signalbox steps run \w+ --connection </m.test(code);

const commands = userDocuments
  // Calls to an invented address are checked by documents.test.ts.
  .filter(({ path, text }) => !Object.hasOwn(elsewhere, path) && !text.includes("https://signalbox.example"))
  .map((document) => ({
    path: document.path,
    blocks: blocksOf(document).filter(({ language, code }) => language === "sh" && !isForReader(code)),
  }))
  .filter(({ blocks }) => blocks.length > 0);

describe("the examples of the documents", () => {
  test("work as they are, from the first line to the last", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const home = join(folder, "data");
    const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own" });
    try {
      const region = readFirstRun(home)?.regions.us as FirstRunRegion;
      prepare(folder);
      const curl = (await run("bash", ["-c", "command -v curl"])).stdout.trim();
      const failed: string[] = [];
      for (const { path, blocks } of commands) {
        const script = join(folder, "script.sh");
        writeFileSync(script, scriptOf(blocks, server.port, region));
        const result = await run("bash", [script], {
          cwd: folder,
          env: {
            ...process.env,
            PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
            CURL: curl,
            SIGNALBOX_PORT: String(server.port),
          },
        }).then(
          ({ stdout }) => ({ stdout, error: "" }),
          (error: { stdout: string; stderr: string; message: string }) => ({
            stdout: error.stdout,
            error: `${path}: ${error.stderr || error.message}\n${error.stdout.slice(-600)}`,
          }),
        );
        if (result.error !== "") failed.push(result.error);
        if (path === "docs/quickstart.md") expect(result.stdout).toMatch(/"status":"waiting"/);
      }
      expect(failed).toEqual([]);
      expect(commands.map(({ path }) => path)).toEqual(
        expect.arrayContaining(["README.md", "docs/quickstart.md", "docs/steps/run_reports.md"]),
      );
    } finally {
      await server.stop();
    }
  });
});

/** A folder as a reader has it: the launcher and the data. A call that is refused ends the script. */
function prepare(folder: string): void {
  symlinkSync(join(root, "signalbox"), join(folder, "signalbox"));
  mkdirSync(join(folder, "bin"));
  const curl = join(folder, "bin", "curl");
  writeFileSync(curl, '#!/bin/sh\nexec "$CURL" --fail-with-body --show-error "$@"\n');
  chmodSync(curl, 0o755);
}

/** The blocks of a document in one shell, so that later ones see the variables of earlier ones. */
function scriptOf(blocks: readonly Block[], port: number, region: FirstRunRegion): string {
  const lines = blocks.map(({ path, code }) =>
    code
      .replace(
        /\b(127\.0\.0\.1|localhost):41(\d\d)\b/g,
        (_, host: string, last: string) => `${host}:${port + Number(last)}`,
      )
      .replaceAll("<project_id>", region.project_id)
      .replaceAll("<api_key>", region.api_key)
      .replaceAll("<connection_id>", region.connections?.[systemOf(path)] ?? ""),
  );
  return ["set -e -o pipefail", ...lines].join("\n");
}

/** The page of a step needs an account of its system. */
const systemOf = (path: string): SystemId =>
  (findStep(/(\w+)\.md$/.exec(path)?.[1] ?? "")?.system.id as SystemId | undefined) ?? "deployment";
