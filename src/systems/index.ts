import { analyticsApiCall } from "./analytics/analytics-api-call.ts";
import { createKeyEvents } from "./analytics/create-key-events.ts";
import { createProperties } from "./analytics/create-properties.ts";
import { runReports } from "./analytics/run-reports.ts";
import { analytics } from "./analytics/system.ts";
import type { Step, System, SystemId } from "./define.ts";
import { cancelDeployment } from "./deployment/cancel-deployment.ts";
import { createDeployment } from "./deployment/create-deployment.ts";
import { deploymentApiCall } from "./deployment/deployment-api-call.ts";
import { listDeployments } from "./deployment/list-deployments.ts";
import { deployment } from "./deployment/system.ts";
import { marketingApiCall } from "./marketing/marketing-api-call.ts";
import { marketing } from "./marketing/system.ts";

export const systems: readonly System[] = [marketing, deployment, analytics];

/** Every step, in the order of the requirement. A new one is a file and a line here. */
export const steps: readonly Step[] = [
  marketingApiCall,
  createDeployment,
  listDeployments,
  cancelDeployment,
  deploymentApiCall,
  runReports,
  createKeyEvents,
  createProperties,
  analyticsApiCall,
];

const stepsById = new Map(steps.map((step) => [step.id, step]));

export const findStep = (id: string): Step | null => stepsById.get(id) ?? null;

export const systemOf = (id: SystemId): System => {
  const system = systems.find((each) => each.id === id);
  if (!system) throw new Error(`There is no system ${id}.`);
  return system;
};
