import { expect } from "vitest";
import { createLimits, type Limits, type LimitsOptions, type Permit } from "../../../src/limits/limits.ts";
import type { Demand } from "../../../src/systems/define.ts";
import { StepFailed } from "../../../src/systems/work.ts";
import { newStore, type StoreKind } from "../stores.ts";
import { createLimitWorld, type LimitWorld } from "./limit-world.ts";

/** Helpers for calls under the limits of a system. */

export const subject = "marketing|https://one";
export const burst = (max: number): Demand => ({
  subject,
  name: "burst",
  kind: "window",
  max,
  amount: 1,
  windowSeconds: 20,
});
export const concurrent = (max: number): Demand => ({
  subject,
  name: "concurrent",
  kind: "concurrent",
  max,
  amount: 1,
});
export const daily = (max: number, amount = 1): Demand => ({
  subject,
  name: "daily",
  kind: "calendar",
  max,
  amount,
  resets: { daily: "America/Chicago" },
});

export const callerOf = (id: string, projectId = "prj_1", organizationId = "org_1") => ({
  id,
  organizationId,
  projectId,
  connectionId: `con_${projectId}`,
  runId: `run_${id}`,
});

/** A caller that reads the limits. */
export const viewerOf = (projectId = "prj_1", organizationId = "org_1") => ({ organizationId, projectId });

export const open = async (kind: StoreKind, start?: string): Promise<LimitWorld> =>
  createLimitWorld(await newStore(kind), start === undefined ? undefined : Date.parse(start));

export const node = (world: LimitWorld, more: Partial<LimitsOptions> = {}): Limits =>
  createLimits({ store: world.store, clock: world.clock, time: "own", ...more });

export const waitUntil = (world: LimitWorld, seconds: number): Date => new Date(world.now() + seconds * 1000);

/** The stored state of the one subject. */
export const rowOf = async (world: LimitWorld): Promise<string | undefined> =>
  (await world.store.query<{ state: string }>("select state from limit_states"))[0]?.state;

export interface Asked {
  permit?: Permit;
  failed?: unknown;
}

/** Requests admission, and lets everything happen that needs no time. */
export async function ask(
  world: LimitWorld,
  limits: Limits,
  demands: Demand[],
  seconds: number,
  caller = callerOf("a"),
): Promise<Asked> {
  const asked: Asked = {};
  limits.admit(demands, caller, waitUntil(world, seconds)).then(
    (permit) => {
      asked.permit = permit;
    },
    (error) => {
      asked.failed = error;
    },
  );
  await world.settle();
  return asked;
}

export function failureOf({ failed }: Asked): StepFailed["failure"] {
  if (!(failed instanceof StepFailed)) expect.fail(`The call was not refused, or for another reason: ${failed}`);
  return failed.failure;
}

export async function use(world: LimitWorld, limits: Limits, demands: Demand[], times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const permit = await limits.admit(demands, callerOf("a"), waitUntil(world, 0));
    await permit.settle([], "arrived");
  }
}
