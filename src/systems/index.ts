import { analyticsSteps } from "./analytics/steps.ts";
import { analytics } from "./analytics/system.ts";
import type { Step, System } from "./define.ts";
import { deploymentEvents } from "./deployment/events.ts";
import { deploymentSteps } from "./deployment/steps.ts";
import { deployment } from "./deployment/system.ts";
import { deploymentWaits } from "./deployment/waits.ts";
import type { EventSender } from "./events.ts";
import { marketingSteps } from "./marketing/steps.ts";
import { marketing } from "./marketing/system.ts";
import type { SystemWait } from "./waits.ts";

/**
 * A new system is its folder, its sandbox and a line here. The order is that of the sandboxes' ports. It also has
 * `events` if it sends events to agents, and `waits` if tools can wait for something there.
 */
const listed = [
  { system: marketing, steps: marketingSteps },
  { system: deployment, steps: deploymentSteps, events: deploymentEvents, waits: deploymentWaits },
  { system: analytics, steps: analyticsSteps },
] as const;

/** The types of every step's input and output. */
export type StepWires = NonNullable<(typeof listed)[number]["steps"][number]["wire"]>;

export type SystemId = (typeof listed)[number]["system"]["id"];

export const systems: readonly System<SystemId>[] = listed.map(({ system }) => system);
export const systemIds: readonly SystemId[] = systems.map(({ id }) => id);
export const steps: readonly Step[] = listed.flatMap((each): readonly Step[] => each.steps);
/** The systems that send events to agents. */
export const eventSenders: readonly EventSender<SystemId>[] = listed.flatMap((each) =>
  "events" in each ? [{ ...each.events, system: each.system }] : [],
);

/** What `waiting_for.kind` says of a run that waits for something at a system. */
export type WaitKind = Extract<(typeof listed)[number], { waits: unknown }>["waits"][number]["kind"];
export type KnownWait = SystemWait<WaitKind>;

/** The built-in steps of tools that wait for something at a system. */
export const waits: readonly KnownWait[] = listed.flatMap((each): readonly KnownWait[] =>
  "waits" in each ? each.waits : [],
);
export const waitKinds: readonly WaitKind[] = [...new Set(waits.map(({ kind }) => kind))];

const waitsById = new Map(waits.map((wait) => [wait.id, wait]));
export const findWait = (id: string): KnownWait | null => waitsById.get(id) ?? null;

const systemsById = new Map<string, System<SystemId>>(systems.map((system) => [system.id, system]));
const stepsById = new Map(steps.map((step) => [step.id, step]));

export const findStep = (id: string): Step | null => stepsById.get(id) ?? null;

/** The system of a connection. Refuses an id that this version does not know, such as one from a newer store. */
export function systemOf(id: string): System<SystemId> {
  const system = systemsById.get(id);
  if (!system) throw new Error(`There is no system ${id}.`);
  return system;
}

/** One value per system. */
export const forEachSystem = <T>(toValue: (system: System<SystemId>, index: number) => T): Record<SystemId, T> =>
  Object.fromEntries(systems.map((system, index) => [system.id, toValue(system, index)])) as Record<SystemId, T>;
