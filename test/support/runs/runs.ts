import { queueRun } from "../../../src/runs/queue/start-run.ts";
import { toolDefinition } from "../../../src/tools/definition.ts";
import type { TestAnswer, TestApp, TestPerson } from "../app.ts";
import type { Team } from "../team.ts";

/** A project in which tests start and read runs. */
export interface RunWorld {
  app: Pick<TestApp, "store" | "context" | "now">;
  owner: TestPerson;
  projectId: string;
  call(operation: string, body?: unknown): Promise<TestAnswer>;
}

export const worldOf = (team: Team): RunWorld => ({
  app: team,
  owner: team.owner,
  projectId: team.projectId,
  call: (operation, body = {}) => team.call(operation, body, team.inProject(team.owner)),
});

export const aTool = (steps: unknown[], more: Record<string, unknown> = {}) => ({
  title: "A tool",
  params_schema: { type: "object" },
  steps,
  ...more,
});

/** Queues a run without a saved tool; the worker polls when it is woken. */
export async function queueTool(world: RunWorld, definition: unknown, startedBy = world.owner): Promise<string> {
  const { store, now } = world.app;
  return store.transaction((db) =>
    queueRun(db, {
      region: "us",
      organizationId: startedBy.organizationId,
      projectId: world.projectId,
      work: { kind: "tool", id: null, version: null, definition: toolDefinition.parse(definition) },
      params: {},
      source: { kind: "call" },
      startedBy: startedBy.userId,
      keyId: null,
      now: now(),
    }),
  );
}

/** The run once it is in one of these states; the worker is woken. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
export async function runOnce(world: RunWorld, runId: string, ...states: string[]): Promise<any> {
  world.app.context.rooms.runs.wake();
  let seen: unknown;
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const { body } = await world.call(`runs/${runId}/get`);
    if (states.includes(body.status)) return body;
    seen = body;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`The run does not come to ${states.join(" or ")}: ${JSON.stringify(seen)}`);
}
