import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { newCertificate } from "../sign-in/certificate.ts";
import { temporaryFolder } from "../stores.ts";
import { freePort } from "./free-ports.ts";

/** The samples of deploy/ in the programs that they are for, on free ports and with a certificate of the test. */

export interface Proxy {
  /** The status of a response, by TLS. */
  status(method: string, path: string): Promise<number>;
  stop(): void;
}

export async function startNginx(program: string, backend: number): Promise<Proxy> {
  const { folder, certificate, key } = newFolder();
  const [secure, plain] = [await freePort(), await freePort()];
  const sample = readFileSync("deploy/nginx/signalbox.conf", "utf8")
    .replaceAll(/^ *listen \[::\].*\n/gm, "")
    .replaceAll("listen 443 ", `listen 127.0.0.1:${secure} `)
    .replaceAll("listen 80;", `listen 127.0.0.1:${plain};`)
    .replaceAll("127.0.0.1:4100", `127.0.0.1:${backend}`)
    .replace(/ssl_certificate +\S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key +\S+;/, `ssl_certificate_key ${key};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const whole = `pid ${folder}/pid; error_log stderr; daemon off; events {} http { access_log off; ${temporary.join(" ")}\n${sample}}`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, whole);
  const checked = spawnSync(program, ["-t", "-c", file], { encoding: "utf8" });
  expect(checked.status, checked.stderr).toBe(0);
  return startProxy(program, ["-c", file], secure, folder);
}

export async function startCaddy(program: string, backend: number): Promise<Proxy> {
  const { folder, certificate, key } = newFolder();
  const secure = await freePort();
  const sample = readFileSync("deploy/caddy/Caddyfile", "utf8")
    .replace(
      /^us\.example\.com \{/m,
      `https://us.example.com:${secure} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    )
    .replaceAll("127.0.0.1:4100", `127.0.0.1:${backend}`);
  const file = join(folder, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sample}`);
  return startProxy(program, ["run", "--config", file, "--adapter", "caddyfile"], secure, folder);
}

function newFolder() {
  const folder = temporaryFolder();
  const { privatePem, pem } = newCertificate({ names: ["us.example.com"] });
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  writeFileSync(key, privatePem);
  writeFileSync(certificate, pem);
  return { folder, certificate, key };
}

async function startProxy(program: string, args: string[], port: number, home: string): Promise<Proxy> {
  const running = spawn(program, args, { stdio: "ignore", env: { PATH: process.env.PATH, HOME: home } });
  const end = () => void running.kill("SIGKILL");
  process.once("exit", end);
  const status = (method: string, path: string): Promise<number> => statusOf({ method, path, port }, secureRequest);
  await vi.waitFor(() => status("GET", "/healthz"), { timeout: 20_000 });
  return {
    status,
    stop() {
      process.off("exit", end);
      running.kill("SIGTERM");
    },
  };
}

/** With the name that the proxy serves. */
export const statusOf = (asked: RequestOptions, request: typeof plainRequest = plainRequest): Promise<number> =>
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
