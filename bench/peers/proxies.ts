import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnOnCore, startChild, stopProcess } from "../load/child.ts";
import { upstreamOrigin } from "../targets/connected.ts";
import { freePort } from "../targets/signalbox-server.ts";
import type { Target } from "../targets/target.ts";
import { peerFolder } from "./peers.ts";

/** Others that hand a request on to a system and its answer back. */

export async function startBareProxy(upstream: Target): Promise<Target> {
  const child = startChild("server", new URL("./bare-proxy.ts", import.meta.url), [upstreamOrigin(upstream)]);
  const { port } = (await child.ready) as { port: number };
  return { name: "barest proxy", port, pid: child.pid, stop: () => child.stop() };
}

export async function startNodeRed(folder: string, upstream: Target, path: string): Promise<Target> {
  const module = new URL("server.ts", peerFolder("node-red"));
  const child = startChild("server", module, [join(folder, "node-red"), upstreamOrigin(upstream), path]);
  const { port } = (await child.ready) as { port: number };
  return { name: "Node-RED", port, pid: child.pid, stop: () => child.stop() };
}

export const hasNginx = (): boolean => spawnSync("nginx", ["-v"], { stdio: "ignore" }).status === 0;

/** One process, connections to the system kept open, no log: as fast as it gets on one core. */
export async function startNginx(folder: string, upstream: Target): Promise<Target> {
  const prefix = join(folder, "nginx");
  mkdirSync(prefix, { recursive: true });
  const port = await freePort();
  const file = join(prefix, "nginx.conf");
  writeFileSync(file, settings(prefix, port, upstream.port));
  const child = spawnOnCore("server", ["nginx", "-p", prefix, "-c", file, "-e", "stderr"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (let tries = 0; tries < 50; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/user`).catch(() => null);
    if (answer?.ok) return { name: "nginx", port, pid: child.pid ?? 0, stop: () => stopProcess(child) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("nginx was not ready after 5 s.");
}

const settings = (prefix: string, port: number, upstreamPort: number): string => `
daemon off;
master_process off;
pid ${prefix}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${prefix}/${name};`).join("\n  ")}
  keepalive_requests 1000000000;
  upstream system { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://system; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`;
