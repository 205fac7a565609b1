import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { parse } from "yaml";
import { settings } from "../../src/start/settings/settings.ts";
import { freePort } from "../support/processes/free-ports.ts";
import { startCaddy, startNginx, statusOf } from "../support/processes/proxies.ts";
import { findProgram } from "../support/runner/find-program.ts";
import { temporaryFolder } from "../support/stores.ts";

/** The files of deploy/, the Dockerfile and the samples of docs/production.md. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const nobody = 65_534;
/** Only root can, and only where the repository is not in a folder of root's alone, nor a server with settings of its own. */
const canBecomeNobody =
  process.getuid?.() === 0 &&
  !existsSync("/etc/signalbox.env") &&
  spawnSync("setpriv", [`--reuid=${nobody}`, "--clear-groups", "test", "-r", join(root, "package.json")]).status === 0;
if (!canBecomeNobody) console.log("Tests: this user cannot become another one, so backup.sh is not run.");

// "`Dockerfile` (slim, not root, healthcheck)". Building the image needs its base image, so its files and commands run here.
describe("what the Dockerfile copies and starts", () => {
  const file = read("Dockerfile").replaceAll(/\\\n\s*/g, "");
  const lines = (word: string): string[] =>
    [...file.matchAll(new RegExp(`^${word} (.*)$`, "gm"))].map(([, rest = ""]) => rest);
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  let server: ChildProcess;
  let port: number;
  let printed = "";
  let environment: NodeJS.ProcessEnv;

  const isHealthy = (): boolean => {
    const [command = ""] = lines("HEALTHCHECK").map((line) => line.slice(line.indexOf("CMD ") + 4));
    const [, script = ""] = JSON.parse(command) as string[];
    const path = script.replace("/app", folder);
    const { status, stderr } = spawnSync(process.execPath, [path], { env: environment, encoding: "utf8" });
    expect(stderr).toBe("");
    return status === 0;
  };

  beforeAll(async () => {
    const copied = lines("COPY").filter((line) => !line.startsWith("--from"));
    for (const source of copied.flatMap((line) => line.split(" ").slice(0, -1))) {
      mkdirSync(dirname(join(folder, source)), { recursive: true });
      cpSync(join(root, source), join(folder, source), { recursive: true });
    }
    // The console is built once for all tests.
    mkdirSync(join(root, "dist"), { recursive: true });
    for (const name of ["node_modules", "dist"]) symlinkSync(join(root, name), join(folder, name));
    port = await freePort();
    const given = [...(lines("ENV")[0] ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    environment = {
      ...Object.fromEntries(given),
      PATH: process.env.PATH,
      SIGNALBOX_HOST: "127.0.0.1",
      SIGNALBOX_PORT: String(port),
      SIGNALBOX_HOME: join(folder, "data"),
      SIGNALBOX_REGIONS: "us",
      SIGNALBOX_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
      SIGNALBOX_TRUSTED_PROXIES: "127.0.0.1",
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/signalbox-tests"),
    };
    expect(isHealthy()).toBe(false);
    const command = JSON.parse(lines("CMD").at(-1) ?? "[]") as string[];
    server = spawn(process.execPath, [join(folder, "src/cli/signalbox.ts"), ...command], { env: environment });
    for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (printed += chunk));
    await vi.waitFor(() => expect(printed).toContain("Signalbox is ready"), { timeout: 60_000 });
  }, 90_000);
  afterAll(() => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  test("the image is slim, does not run as root, and has a health check", () => {
    expect(lines("FROM")).toEqual(["node:26-slim AS build", "node:26-slim"]);
    expect(lines("USER")).toEqual(["node"]);
    expect(lines("HEALTHCHECK")).toHaveLength(1);
    const ignored = read(".dockerignore").split("\n");
    expect(ignored[0]).toBe("*");
    expect(ignored.some((line) => /^!.*(data|node_modules|test|\.git)/.test(line))).toBe(false);
  });

  test("the copied files suffice to serve, and the health check follows /readyz", () => {
    expect(printed).toContain("Signalbox is ready");
    expect(isHealthy()).toBe(true);
  });

  // "nginx and Caddy samples that pass every path but `/metrics`: today's README blocks sign-in, SCIM and OAuth callbacks"
  describe.each([
    ["nginx", findProgram("nginx", "nginx-light", "its sample is not tested"), startNginx],
    ["Caddy", findProgram("caddy", "caddy", "its sample is not tested"), startCaddy],
  ] as const)("%s with the sample", (_, program, startProxy) => {
    test.skipIf(program === "")("passes every kind of path, and not /metrics", async () => {
      const front = await startProxy(program, port);
      try {
        for (const [method, path] of paths) {
          const direct = await statusOf({ method, port, path });
          expect(direct, path).not.toBe(404);
          expect([path, await front.status(method, path)]).toEqual([path, direct]);
        }
        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
        expect(await front.status("GET", "/metrics")).toBe(404);
      } finally {
        front.stop();
      }
    });
  });

  test("SIGTERM stops it in good order, and then it is not healthy", async () => {
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    expect(code).toBe(0);
    expect(isHealthy()).toBe(false);
  });

  // Restore runs as the user of the service, and cannot read what root alone may read.
  test.skipIf(!canBecomeNobody)("backup.sh of root's crontab backs up as the owner of the data folder", () => {
    const data = join(folder, "data");
    const owned = () => [folder, data, ...readdirSync(data).map((name) => join(data, name))];
    for (const name of owned()) chownSync(name, nobody, nobody);
    const backups = join(folder, "backups");
    const script = join(root, "deploy/backup.sh");
    const { status, stderr } = spawnSync(script, ["us", backups], { env: environment, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const names = [...owned(), backups, ...readdirSync(backups).map((name) => join(backups, name))];
    expect(names.filter((name) => name.endsWith(".backup"))).toHaveLength(1);
    expect(names.filter((name) => statSync(name).uid !== nobody)).toEqual([]);
  });
});

/** One of each kind. */
const paths = [
  ["GET", "/"],
  ["GET", "/sign-in"],
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/latest/openapi.json"],
  ["GET", "/latest/documentation"],
  ["POST", "/latest/auth/info"],
  ["GET", "/scim/v2/ServiceProviderConfig"],
  ["POST", "/mcp"],
  ["GET", "/oauth/callback"],
  ["GET", "/sso/oidc/callback"],
  ["GET", "/.well-known/oauth-protected-resource"],
] as const;

// docs/production.md and the Dockerfile run `signalbox build` as root, and the server as another user.
test("every user can read the console that `signalbox build` has built", () => {
  const folder = inject("consoleFolder");
  const names = [
    dirname(folder),
    folder,
    ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  ];
  expect(names.length).toBeGreaterThan(100);
  const isHidden = (name: string): boolean => {
    const found = statSync(name);
    const needed = found.isDirectory() ? 0o005 : 0o004;
    return (found.mode & needed) !== needed;
  };
  expect(names.filter(isHidden)).toEqual([]);
});

test("compose.yaml starts it with PostgreSQL, with settings that exist and no secret of its own", () => {
  const { services } = parse(read("compose.yaml"));
  expect(services.db).toMatchObject({ image: "postgres:17", healthcheck: { test: expect.any(Array) } });
  expect(services.signalbox.depends_on).toEqual({ db: { condition: "service_healthy" } });
  const known = Object.values(settings).map(({ name }) => String(name));
  for (const [name, value] of Object.entries<string>(services.signalbox.environment)) {
    expect([...known, "SIGNALBOX_DATABASE_URL_US", "SIGNALBOX_BASE_URL_US"]).toContain(name);
    if (/KEY|URL_US$/.test(name)) expect(value).toMatch(/\$\{/);
  }
});

const systemd = existsSync("/usr/bin/systemd-analyze");
if (!systemd) console.log("Tests: systemd-analyze was not found, so the systemd unit is not verified.");
test.skipIf(!systemd)("systemd accepts the unit, which starts a program of the repository", () => {
  const folder = temporaryFolder();
  const unit = read("deploy/systemd/signalbox.service");
  const [, program = ""] = /^ExecStart=\/opt\/signalbox\/(\S+) serve$/m.exec(unit) ?? [];
  accessSync(join(root, program), constants.X_OK);
  const file = join(folder, "signalbox.service");
  writeFileSync(file, unit.replaceAll("/opt/signalbox/", root));
  const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: "" });
});

test("the document shows the samples as they are in deploy/", () => {
  const document = read("docs/production.md");
  for (const sample of ["deploy/nginx/signalbox.conf", "deploy/caddy/Caddyfile"])
    expect(document).toContain(read(sample));
});
