import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import RED from "node-red";

/**
 * Node-RED without editor and admin API, with one flow: http in, http request, http response. Connections to the system
 * are kept open, and the answer is handed on as text: both are its faster setting.
 */

const [folder = "", origin = "", path = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const flow = [
  { id: "proxy", type: "tab", label: "proxy" },
  { id: "in", type: "http in", z: "proxy", url: path, method: "get", wires: [["ask"]] },
  {
    id: "ask",
    type: "http request",
    z: "proxy",
    url: origin + path,
    ...{ method: "GET", ret: "txt", persist: true },
    wires: [["out"]],
  },
  { id: "out", type: "http response", z: "proxy", wires: [] },
];
writeFileSync(join(folder, "flows.json"), JSON.stringify(flow));

const server = createServer();
RED.init(server, {
  userDir: folder,
  flowFile: "flows.json",
  httpAdminRoot: false,
  httpNodeRoot: "/",
  disableEditor: true,
  telemetry: { enabled: false },
  logging: { console: { level: "error", metrics: false, audit: false } },
});
server.on("request", RED.httpNode);
RED.events.on("flows:started", () => {
  if (server.listening) return;
  server.listen(0, "127.0.0.1", () => process.send?.({ result: { port: (server.address() as AddressInfo).port } }));
});
await RED.start();
process.on("SIGTERM", () => process.exit(0));
