import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { settings } from "../../src/start/settings.ts";
import { newCertificate } from "../support/certificate.ts";
import { installPackage } from "../support/debian-package.ts";
import { freePort } from "../support/free-ports.ts";
import { temporaryFolder } from "../support/stores.ts";

/** The files of deploy/, the Dockerfile and the samples of docs/production.md. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

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
  const nginx = findProgram("nginx", "nginx-light");
  test.skipIf(nginx === "")("nginx with the sample passes every kind of path, and not /metrics", async () => {
    const front = await startNginx(nginx, port);
    try {
      for (const path of [
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
      ] as const) {
        const [method, url] = path;
        const direct = await statusOf({ method, port, path: url });
        expect(direct, url).not.toBe(404);
        expect([url, await front.status(method, url)]).toEqual([url, direct]);
      }
      expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
      expect(await front.status("GET", "/metrics")).toBe(404);
    } finally {
      front.stop();
    }
  });

  test("SIGTERM stops it in good order, and then it is not healthy", async () => {
    server.kill("SIGTERM");
    const [code] = await once(server, "exit");
    expect(code).toBe(0);
    expect(isHealthy()).toBe(false);
  });
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

function findProgram(name: string, debianPackage: string): string {
  const find = () => ["/usr/sbin", "/usr/bin"].map((path) => join(path, name)).find(existsSync) ?? "";
  if (find() === "") installPackage(debianPackage);
  if (find() === "")
    console.log(`Tests: ${name} was not found (Debian's package ${debianPackage}), so its sample is not tested.`);
  return find();
}

/** nginx with the sample, on free ports and with a certificate of the test. */
async function startNginx(program: string, backend: number) {
  const folder = temporaryFolder();
  const { privatePem: key, pem: certificate } = newCertificate({ names: ["us.example.com"] });
  writeFileSync(join(folder, "key.pem"), key);
  writeFileSync(join(folder, "certificate.pem"), certificate);
  const [secure, plain] = [await freePort(), await freePort()];
  const sample = read("deploy/nginx/signalbox.conf")
    .replaceAll(/^ *listen \[::\].*\n/gm, "")
    .replaceAll("listen 443 ", `listen 127.0.0.1:${secure} `)
    .replaceAll("listen 80;", `listen 127.0.0.1:${plain};`)
    .replaceAll("127.0.0.1:4100", `127.0.0.1:${backend}`)
    .replace(/ssl_certificate +\S+;/, `ssl_certificate ${folder}/certificate.pem;`)
    .replace(/ssl_certificate_key +\S+;/, `ssl_certificate_key ${folder}/key.pem;`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const whole = `pid ${folder}/pid; error_log stderr; daemon off; events {} http { access_log off; ${temporary.join(" ")}\n${sample}}`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, whole);
  const checked = spawnSync(program, ["-t", "-c", file], { encoding: "utf8" });
  expect(checked.status, checked.stderr).toBe(0);
  const running = spawn(program, ["-c", file], { stdio: "ignore" });
  const end = () => void running.kill("SIGKILL");
  process.once("exit", end);
  const status = (method: string, path: string): Promise<number> =>
    statusOf({ method, path, port: secure }, secureRequest);
  await vi.waitFor(() => status("GET", "/healthz"), { timeout: 10_000 });
  return {
    status,
    stop() {
      process.off("exit", end);
      running.kill("SIGTERM");
    },
  };
}

/** With the name that the proxy serves. */
const statusOf = (asked: RequestOptions, request: typeof plainRequest = plainRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const tls = { servername: "us.example.com", rejectUnauthorized: false };
    const headers = { host: "us.example.com", "content-length": "0" };
    const sent = request({ ...asked, ...tls, host: "127.0.0.1", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
