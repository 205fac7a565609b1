import type { Step } from "../define.ts";
import { cancelDeployment } from "./cancel-deployment.ts";
import { createDeployment } from "./create-deployment.ts";
import { deploymentApiCall } from "./deployment-api-call.ts";
import { listDeployments } from "./list-deployments.ts";

/** A new step is a file and a line here. */
export const deploymentSteps = [
  createDeployment,
  listDeployments,
  cancelDeployment,
  deploymentApiCall,
] as const satisfies readonly Step[];
