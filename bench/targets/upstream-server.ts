import { createServer } from "node:http";

/**
 * What stands behind every proxy of the bench: a bare node:http server that answers as the deployment platform does, from
 * bytes made beforehand. Every answer states its allowance, which never runs out.
 */

const pageItems = 100;
const itemsInAll = Number(process.argv[2] ?? 1_000_000);

const project = JSON.stringify({
  id: "prj_upstream000000000000000",
  accountId: "user_upstream",
  name: "web",
  framework: "nextjs",
  nodeVersion: "24.x",
  buildCommand: "npm run build",
  outputDirectory: null,
  rootDirectory: "apps/web",
  autoAssignCustomDomains: true,
  createdAt: 1_760_000_000_000,
  updatedAt: 1_763_000_000_000,
  link: { type: "github", org: "example", repo: "web", productionBranch: "main" },
  targets: { production: { id: "dpl_upstream", readyState: "READY", alias: ["web.example.com", "www.example.com"] } },
  latestDeployments: [{ id: "dpl_upstream", name: "web", readyState: "READY", target: "production" }],
  env: [],
});
const user = JSON.stringify({ user: { id: "user_upstream", email: "bench@example.com", username: "bench" } });

const server = createServer((request, response) => {
  const url = request.url ?? "";
  const body = url.startsWith("/v9/projects/") ? project : url.startsWith("/v6/deployments") ? pageAt(url) : user;
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-ratelimit-limit": "1000000000",
    "x-ratelimit-remaining": "999999999",
    "x-ratelimit-reset": "4102444800",
  });
  response.end(body);
});

/** A page of deployments; `until` counts them, where the platform counts milliseconds. */
function pageAt(url: string): string {
  const from = Number(/[?&]until=(\d+)/.exec(url)?.[1] ?? 0);
  const until = Math.min(from + pageItems, itemsInAll);
  const deployments = Array.from({ length: until - from }, (_, index) => deploymentAt(from + index));
  return JSON.stringify({ deployments, pagination: { count: until - from, next: until < itemsInAll ? until : null } });
}

const deploymentAt = (number: number): object => ({
  uid: `dpl_${number.toString(36).padStart(24, "0")}`,
  name: "web",
  url: `web-${number}.example.app`,
  created: 1_760_000_000_000 + number,
  state: "READY",
  target: "production",
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ result: { port: typeof address === "object" ? address?.port : null } });
});
process.on("SIGTERM", () => process.exit(0));
