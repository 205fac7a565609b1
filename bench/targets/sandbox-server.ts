import { createAnalyticsSandbox } from "../../sandboxes/analytics/analytics.ts";
import { createDeploymentSandbox } from "../../sandboxes/deployment/deployment.ts";
import { createMarketingSandbox } from "../../sandboxes/marketing/marketing.ts";
import { serveSandbox } from "../../sandboxes/server/serve-sandbox.ts";

/** The three sandboxes on free ports, in a process of their own as under `npm start`. */

export interface SandboxesStarted {
  urls: string[];
  /** From the first line of this program until all three answer. */
  startMilliseconds: number;
  megabytes: number;
}

const startedAt = performance.now();
const urls: string[] = [];
for (const create of [createMarketingSandbox, createDeploymentSandbox, createAnalyticsSandbox]) {
  urls.push((await serveSandbox(create, 0, "127.0.0.1")).url);
}
const started: SandboxesStarted = {
  urls,
  startMilliseconds: Math.round(performance.now() - startedAt),
  megabytes: Math.round(process.memoryUsage().rss / 1024 / 1024),
};
process.send?.({ result: started });
process.on("SIGTERM", () => process.exit(0));
