import type { Step } from "../define.ts";
import { cancelDeployment } from "./steps/cancel-deployment.ts";
import { createDeployment } from "./steps/create-deployment.ts";
import { deploymentApiCall } from "./steps/deployment-api-call.ts";
import { listDeployments } from "./steps/list-deployments.ts";

/** A new step is a file and a line here. */
export const deploymentSteps = [
  createDeployment,
  listDeployments,
  cancelDeployment,
  deploymentApiCall,
] as const satisfies readonly Step[];
