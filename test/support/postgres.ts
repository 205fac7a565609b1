import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestPostgres {
  url: string;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL of our own, in a throw-away folder on a free port: whatever else runs on the machine does not matter.
 * Answers the reason as a sentence where the machine has none and none can be installed.
 */
export async function startPostgres(): Promise<TestPostgres | string> {
  const programs = findPrograms() ?? installPrograms();
  if (!programs) return "no PostgreSQL was found (initdb), and Debian's package could not be installed";
  const folder = mkdtempSync(join(tmpdir(), "signalbox-postgres-"));
  // PostgreSQL refuses to run as root: it gets a user without rights, and the folder with it.
  const user = process.getuid?.() === 0 ? unprivilegedUser() : null;
  if (user) chownSync(folder, user.uid, user.gid);
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const data = join(folder, "data");
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "signalbox", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    stdio: "ignore",
    ...identity,
  });
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1", "-c", "max_connections=300"];
  const server = spawn(join(programs, "postgres"), options, { stdio: ["ignore", "ignore", "pipe"], ...identity });
  // Whoever started it may be stopped in the middle: no server stays behind.
  const end = () => void server.kill("SIGQUIT");
  process.once("exit", end);
  server.once("exit", () => process.off("exit", end));
  await readyLine(server.stderr);
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  return {
    url: `postgres://signalbox@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPrograms(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))) ?? null;
}

function installPrograms(): string | null {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return null;
  console.log("Tests: no PostgreSQL on this machine; installing Debian's package …");
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env: environment });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "postgresql"], {
    stdio: "ignore",
    env: environment,
  });
  return findPrograms();
}

function unprivilegedUser(): { uid: number; gid: number } {
  const idOf = (flag: string, name: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }).trim());
  const name = spawnSync("id", ["postgres"]).status === 0 ? "postgres" : "nobody";
  return { uid: idOf("-u", name), gid: idOf("-g", name) };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function readyLine(output: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    output.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("ready to accept connections")) resolve();
    });
    output.once("end", () => reject(new Error(`PostgreSQL did not start:\n${text}`)));
  });
}
