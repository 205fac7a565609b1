import type { Deployment } from "../records.ts";
import type { World } from "../world.ts";
import { assignAliases } from "./aliases.ts";
import { slowFactor } from "./fate.ts";

/** Moves deployments through their states by the clock: QUEUED, INITIALIZING, BUILDING, then READY or ERROR. */
export interface Builds {
  enqueue(deployment: Deployment): void;
  /** False where there is nothing to stop: it is over, or it never began. */
  cancel(deployment: Deployment): boolean;
  /** Whether a cancel now comes too late to stop the build, though it is not over yet. */
  isTooLateToCancel(deployment: Deployment): boolean;
  /** Frees whatever it holds, before it is deleted. */
  abandon(deployment: Deployment): void;
}

export const isOver = ({ readyState }: Deployment) =>
  readyState === "READY" || readyState === "ERROR" || readyState === "CANCELED";

export function createBuilds(world: World): Builds {
  const { clock, limits } = world;
  const callOff = new Map<string, () => void>();
  const endsAt = new Map<string, number>();
  const building = new Map<string, Set<string>>();
  const waiting = new Map<string, Deployment[]>();

  const buildingFor = (ownerId: string) => {
    const ids = building.get(ownerId) ?? new Set<string>();
    building.set(ownerId, ids);
    return ids;
  };

  function later(deployment: Deployment, seconds: number, work: () => void): void {
    let isDone = false;
    const off = clock.at(clock.now() + seconds * 1000, () => {
      isDone = true;
      callOff.delete(deployment.id);
      work();
    });
    // With a wait of no seconds the work, and all that follows, has happened by now.
    if (!isDone) callOff.set(deployment.id, off);
  }

  function enqueue(deployment: Deployment): void {
    say(world, "deployment.created", deployment);
    if (deployment.fate.end === "blocked") {
      deployment.readyState = "BLOCKED";
      say(world, "deployment.blocked", deployment);
      return;
    }
    later(deployment, limits.queued_seconds, () => takeSlot(deployment));
  }

  function takeSlot(deployment: Deployment): void {
    const ids = buildingFor(deployment.ownerId);
    if (ids.size >= Math.max(1, limits.concurrent_builds)) {
      deployment.isWaitingForSlot = true;
      const line = waiting.get(deployment.ownerId) ?? [];
      waiting.set(deployment.ownerId, line);
      line.push(deployment);
      return;
    }
    ids.add(deployment.id);
    deployment.isWaitingForSlot = false;
    deployment.readyState = "INITIALIZING";
    deployment.bootedAt = clock.now();
    changed(world, deployment);
    later(deployment, limits.initializing_seconds, () => build(deployment));
  }

  function build(deployment: Deployment): void {
    const seconds = limits.building_seconds * (deployment.fate.isSlow ? slowFactor : 1);
    deployment.readyState = "BUILDING";
    deployment.buildingAt = clock.now();
    deployment.buildMilliseconds = seconds * 1000;
    endsAt.set(deployment.id, clock.now() + seconds * 1000);
    changed(world, deployment);
    later(deployment, seconds, () => finish(deployment));
  }

  function finish(deployment: Deployment): void {
    releaseSlot(deployment);
    if (deployment.fate.end === "error") {
      deployment.readyState = "ERROR";
      deployment.failedAt = clock.now();
      say(world, "deployment.error", deployment);
      return;
    }
    deployment.readyState = "READY";
    deployment.readyAt = clock.now();
    changed(world, deployment);
    later(deployment, limits.alias_seconds, () => serve(deployment));
  }

  /** READY is not yet served: the domains follow a moment later, and only then is the deployment a success. */
  function serve(deployment: Deployment): void {
    assignAliases(world, deployment);
    say(world, "deployment.succeeded", deployment);
    if (deployment.target === "production" && !deployment.aliasError) say(world, "deployment.promoted", deployment);
  }

  function releaseSlot(deployment: Deployment): void {
    endsAt.delete(deployment.id);
    buildingFor(deployment.ownerId).delete(deployment.id);
    const next = waiting.get(deployment.ownerId)?.shift();
    if (next) takeSlot(next);
  }

  function abandon(deployment: Deployment): void {
    callOff.get(deployment.id)?.();
    callOff.delete(deployment.id);
    const line = waiting.get(deployment.ownerId) ?? [];
    if (line.includes(deployment)) line.splice(line.indexOf(deployment), 1);
    if (buildingFor(deployment.ownerId).has(deployment.id)) releaseSlot(deployment);
  }

  return {
    enqueue,
    abandon,
    isTooLateToCancel(deployment) {
      const end = endsAt.get(deployment.id);
      return end !== undefined && end - clock.now() < limits.cancel_race_seconds * 1000;
    },
    cancel(deployment) {
      // "Only while QUEUED, INITIALIZING or BUILDING"; BLOCKED waits for a person.
      if (isOver(deployment) || deployment.readyState === "BLOCKED") return false;
      abandon(deployment);
      deployment.readyState = "CANCELED";
      deployment.isWaitingForSlot = false;
      deployment.canceledAt = clock.now();
      say(world, "deployment.canceled", deployment);
      return true;
    },
  };
}

/** Tells it to webhooks and to open logs. */
export function say(world: World, type: string, deployment: Deployment): void {
  const { ownerId, creatorId: userId } = deployment;
  const project = world.projects.find(deployment.projectId);
  world.announce({ type, at: world.clock.now(), ownerId, userId, project, deployment, details: {} });
}

/** A step on the way that has no event of its own at the vendor; open logs still want to know. */
const changed = (world: World, deployment: Deployment) => say(world, "(state)", deployment);
