import { execFile } from "node:child_process";
import { publicEncrypt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type FirstRunRegion, readFirstRun } from "../../src/start/first-run/first-run.ts";
import { answerConsentPage } from "../support/browser/pop-up.ts";
import { inPseudoTerminal } from "../support/processes/pseudo-terminal.ts";
import { startServer } from "../support/processes/server-process.ts";
import { root } from "./documents.ts";

/** A reader's folder and server: two regions, sandboxes, the launcher, and programs that the reader has. */
export type World = Awaited<ReturnType<typeof startWorld>>;
export type Answer = Record<string, string>;

const run = promisify(execFile);

export async function startWorld() {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-examples-"));
  const home = join(folder, "data");
  const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own", SIGNALBOX_REGIONS: "us,eu" });
  const { regions, sandboxes } = readFirstRun(home);
  const region = regions.us as FirstRunRegion;
  for (const name of ["bin", "backup", "home", "home/.local", "home/.local/bin"]) mkdirSync(join(folder, name));
  symlinkSync(join(root, "signalbox"), join(folder, "signalbox"));
  // A call that is refused ends the script.
  const curl = (await run("bash", ["-c", "command -v curl"])).stdout.trim();
  const program = `#!/bin/sh\nexec "${curl}" --fail-with-body --show-error "$@"\n`;
  writeFileSync(join(folder, "bin/curl"), program, { mode: 0o755 });
  const env = {
    PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
    HOME: join(folder, "home"),
    XDG_CONFIG_HOME: join(folder, "home/.config"),
    BROWSER: "true",
    NODE_COMPILE_CACHE: `${root}node_modules/.cache/signalbox-tests`,
    SIGNALBOX_PORT: String(server.port),
    SIGNALBOX_REGIONS: "us,eu",
    API_KEY: region.api_key,
  };

  async function call(operation: string, body: unknown = {}, { base_url, project_id, api_key } = region) {
    const headers = { authorization: `Bearer ${project_id}:${api_key}`, "content-type": "application/json" };
    const answer = await fetch(`${base_url}/latest/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  /** What the page of the console does once a person has confirmed the login of a command line. */
  async function confirmLogin(address: string): Promise<void> {
    const page = new URL(address);
    const asked = new URLSearchParams(page.hash.slice(1));
    const at = Object.values(regions).find(({ base_url }) => base_url === page.origin) ?? region;
    const { api_key } = await call("auth/keys/create", { label: "this machine" }, at);
    const key = Buffer.from(asked.get("public_key") ?? "", "base64url");
    const sealed = publicEncrypt({ key, format: "der", type: "spki", oaepHash: "sha256" }, Buffer.from(api_key ?? ""));
    const told = { state: asked.get("state") ?? "", key: sealed.toString("base64url"), project: at.project_id };
    await fetch(`http://127.0.0.1:${page.searchParams.get("port")}/callback?${new URLSearchParams(told)}`);
  }

  /** A person signs in at the sandbox. */
  async function consent(address: string): Promise<void> {
    const page = await fetch(address, { redirect: "manual" });
    await fetch(await answerConsentPage("analytics", page.headers.get("location") ?? ""));
  }

  return {
    ...{ folder, home, server, region, sandboxes, call },
    async end(): Promise<void> {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
    /** As one script, so that later blocks see the variables of earlier ones. Returns what went wrong, or an empty text. */
    async shell(path: string, blocks: readonly string[]): Promise<{ said: string; error: string }> {
      const script = join(folder, "script.sh");
      writeFileSync(script, ["set -e -o pipefail", ...blocks].join("\n"));
      return run("bash", [script], { cwd: folder, env }).then(
        ({ stdout }) => ({ said: stdout, error: "" }),
        (error: { stdout: string; stderr: string; message: string }) => ({
          said: error.stdout,
          error: `${path}: ${error.stderr || error.message}\n${error.stdout.slice(-600)}`,
        }),
      );
    },
    /** The same at a terminal: a person confirms, signs in and answers. */
    async atTerminal(blocks: readonly string[]) {
      const script = join(folder, "script.sh");
      writeFileSync(script, ["set -e -o pipefail", ...blocks].join("\n"));
      const seen = new Set<string>();
      let questions = 0;
      return inPseudoTerminal(`bash ${script}`, { cwd: folder, env }, (text, type) => {
        for (const [address] of text.matchAll(/http\S+\/(?:cli-login|oauth\/start)\S+(?=\r?\n)/g)) {
          if (seen.has(address)) continue;
          seen.add(address);
          void (address.includes("/cli-login") ? confirmLogin(address) : consent(address)).catch(console.error);
        }
        const asked = text.split("[y/N] ").length - 1;
        for (; questions < asked; questions++) type("y\n");
      });
    },
  };
}
