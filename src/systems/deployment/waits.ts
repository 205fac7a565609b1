import * as z from "zod";
import { segment } from "../paths.ts";
import { systemWait } from "../waits.ts";
import { send } from "../work.ts";
import { apiRequest } from "./protocol/api-request.ts";
import { readDeployment } from "./protocol/platform-records.ts";
import { isFinal } from "./steps/fields.ts";
import { deployment } from "./system.ts";

const waitForDeployment = systemWait({
  id: "wait_for_deployment",
  title: "Wait for a deployment",
  system: deployment,
  kind: "deployment",
  input: z.strictObject({ deployment_id: z.string().min(1).max(200) }),
  // "Poll no faster than every 2 to 5 s"; a long build is polled less often.
  pauseSeconds: { min: 3, max: 20 },
  *read({ deployment_id: id }) {
    const { body } = yield* send(apiRequest("GET", `/v13/deployments/${segment(id)}`));
    const output = readDeployment(body);
    const { state } = output;
    return { output, isFinal: isFinal(state), what: `The deployment ${output.deployment_id}`, state };
  },
});

/** What a tool can wait for. */
export const deploymentWaits = [waitForDeployment] as const;
