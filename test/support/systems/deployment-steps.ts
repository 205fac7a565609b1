import { createDeploymentSandbox } from "../../../sandboxes/deployment/deployment.ts";
import type { OptionSource, Step } from "../../../src/systems/define.ts";
import { cancelDeployment } from "../../../src/systems/deployment/steps/cancel-deployment.ts";
import { createDeployment } from "../../../src/systems/deployment/steps/create-deployment.ts";
import { listDeployments } from "../../../src/systems/deployment/steps/list-deployments.ts";
import { deployment } from "../../../src/systems/deployment/system.ts";
import { type DriveAt, driveStep, driveWork, startSandbox } from "./drive-step.ts";
import type { WrapSandbox } from "./vault.ts";

export { failureOf } from "./drive-step.ts";

export interface Made {
  deployment_id: string;
  url: string;
  state: string;
  environment: string;
  created_at: string;
}

export interface Listed extends Made {
  branch: string | null;
  creator: string | null;
}

/** The deployment sandbox with the three ready-made steps, as the team of its token. */
export async function startDeploymentSteps(wrap: WrapSandbox = (create) => create) {
  const sandbox = await startSandbox(wrap(createDeploymentSandbox));
  const described = (await sandbox.control("")) as Record<string, Record<string, string>>;
  const { credentials: tokens = {}, ids = {} } = described;
  const at: DriveAt = {
    addresses: { main: sandbox.url },
    token: tokens.token ?? "",
    identity: { label: "acme", team_id: ids.team_id ?? "" },
    // While a step waits, the sandbox's clock advances.
    onPause: async ({ pauseSeconds }) => void (await sandbox.control("/clock", { advance_seconds: pauseSeconds })),
  };
  return {
    ...sandbox,
    ids,
    tokens,
    at,
    async make(input: Record<string, unknown>, more: Partial<DriveAt> = {}) {
      const driven = await driveStep(createDeployment, input, { ...at, ...more });
      return { ...driven, output: driven.output as Made };
    },
    async list(input: Record<string, unknown> = {}) {
      const driven = await driveStep(listDeployments, input, at);
      return { ...driven, deployments: (driven.output as { deployments: Listed[] }).deployments };
    },
    cancel: (id: string) => driveStep(cancelDeployment, { deployment_id: id }, at),
    async offer(source: OptionSource | undefined, query = "", input = {}, after: string | null = null) {
      if (!source) throw new Error("There is no such drop-down.");
      return (await driveWork(source.work({ query, after, input }), deployment, at)).result;
    },
  };
}

/** The refused members of an input, by name. */
export const refusedFields = (step: Step, input: unknown): string[] =>
  step.input.safeParse(input).error?.issues.map(({ path }) => path.join(".")) ?? [];
