import type { Deployment } from "../records.ts";
import type { World } from "../world.ts";
import { viewDeploymentItem } from "./deployment-view.ts";

interface Settled {
  projectName: string | undefined;
  deletedAt: number | null;
  text: string;
}

const settledTexts = new WeakMap<Deployment, Settled>();

/**
 * A list item as JSON text. Most of a list has long settled and is written out once: measured, a page of twenty then takes
 * half the processor's time, and a sandbox must not be what a speed test measures.
 */
export function itemText(world: World, deployment: Deployment): string {
  const projectName = world.projects.find(deployment.projectId)?.name;
  const settled = settledTexts.get(deployment);
  if (settled?.projectName === projectName && settled?.deletedAt === deployment.deletedAt) return settled.text;
  const text = JSON.stringify(viewDeploymentItem(world, deployment));
  if (isSettled(deployment)) settledTexts.set(deployment, { projectName, deletedAt: deployment.deletedAt, text });
  return text;
}

const isSettled = ({ failedAt, canceledAt, aliasAssignedAt }: Deployment) =>
  failedAt !== null || canceledAt !== null || aliasAssignedAt !== null;
