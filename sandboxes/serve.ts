import { createAnalyticsSandbox } from "./analytics/analytics.ts";
import { createDeploymentSandbox } from "./deployment/deployment.ts";
import { createMarketingSandbox } from "./marketing/marketing.ts";
import { type ServedSandbox, serveSandbox } from "./server/serve-sandbox.ts";

/** Each system's sandbox, in the order of their ports: that of `src/systems/index.ts`. */
export const sandboxes = {
  marketing: createMarketingSandbox,
  deployment: createDeploymentSandbox,
  analytics: createAnalyticsSandbox,
};

export interface ServedSandboxes {
  urls: Record<keyof typeof sandboxes, string>;
  stop(): Promise<void>;
}

/** Serves every sandbox, at ports that follow each other. */
export async function serveSandboxes(firstPort: number, host = "127.0.0.1"): Promise<ServedSandboxes> {
  const served: [system: string, sandbox: ServedSandbox][] = [];
  const stop = async () => {
    await Promise.all(served.map(([, each]) => each.stop()));
  };
  try {
    for (const [system, create] of Object.entries(sandboxes)) {
      served.push([system, await serveSandbox(create, firstPort + served.length, host)]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = Object.fromEntries(served.map(([system, { url }]) => [system, url]));
  // One for each of `sandboxes`.
  return { urls: urls as ServedSandboxes["urls"], stop };
}
