import { createAnalyticsSandbox } from "./analytics/analytics.ts";
import { createDeploymentSandbox } from "./deployment/deployment.ts";
import { type ServedSandbox, serveSandbox } from "./door/serve-sandbox.ts";
import { createMarketingSandbox } from "./marketing/marketing.ts";

export interface ServedSandboxes {
  urls: { marketing: string; deployment: string; analytics: string };
  stop(): Promise<void>;
}

/** The three systems at three ports that follow each other. */
export async function serveSandboxes(firstPort: number, host = "127.0.0.1"): Promise<ServedSandboxes> {
  const served: ServedSandbox[] = [];
  const stop = async () => {
    await Promise.all(served.map((each) => each.stop()));
  };
  try {
    const creators = [createMarketingSandbox, createDeploymentSandbox, createAnalyticsSandbox];
    for (const [index, create] of creators.entries()) served.push(await serveSandbox(create, firstPort + index, host));
  } catch (error) {
    await stop();
    throw error;
  }
  const urlOf = (index: number): string => served[index]?.url ?? "";
  return { urls: { marketing: urlOf(0), deployment: urlOf(1), analytics: urlOf(2) }, stop };
}
