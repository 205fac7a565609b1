import { findStep, forEachSystem, type SystemId, systemIds } from "../../src/systems/index.ts";
import { startApp, type TestAnswer, type TestApp, type TestPerson } from "./app.ts";
import type { StoreKind } from "./stores.ts";
import { startSandbox, type TestSandbox } from "./systems/vault.ts";

/** One region with every sandbox beside it, a person who owns a project, and a connection of it to each. */
export interface Platform {
  app: TestApp;
  /** A second process on the same store, with a worker of its own. */
  another(): Promise<TestApp>;
  owner: TestPerson;
  projectId: string;
  sandboxes: Record<SystemId, TestSandbox>;
  connections: Record<SystemId, string>;
  call(operation: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  run(step: string, input: Record<string, unknown>, more?: RunOptions): Promise<TestAnswer>;
}

export interface RunOptions {
  connection?: string;
  wait_seconds?: number;
  dry_run?: boolean;
  idempotencyKey?: string;
}

export function systemOfStep(step: string): SystemId {
  const id = findStep(step)?.system.id;
  if (id === undefined) throw new Error(`There is no step ${step}.`);
  return id as SystemId;
}

export async function startPlatform(
  kind: StoreKind = "sqlite",
  more: Pick<
    NonNullable<Parameters<typeof startApp>[1]>,
    "models" | "privateOrigins" | "settleSeconds" | "limitClock" | "runMemory" | "store" | "baseUrl"
  > = {},
): Promise<Platform> {
  const started = await Promise.all(systemIds.map(startSandbox));
  const sandboxes = forEachSystem((_, index) => started[index] as TestSandbox);
  const urls = forEachSystem(({ id }) => sandboxes[id].url);
  const app = await startApp(kind, { ...more, sandboxes: urls });
  const owner = await app.person("owner@example.com");
  const projectId = await app.project(owner);
  const call: Platform["call"] = (operation, body = {}, headers = {}) =>
    app.call(operation, body, { as: owner, project: projectId, headers });
  const connections = {} as Record<SystemId, string>;
  for (const [system, credentials] of Object.entries(credentialsOf(sandboxes)) as [SystemId, unknown][]) {
    const answer = await call("connections/connect", { system, instance: "sandbox", credentials });
    if (answer.status !== 200) throw new Error(`No connection to ${system}: ${answer.text}`);
    connections[system] = answer.body.connection_id;
  }
  return {
    app,
    another: () => startApp(kind, { ...more, sandboxes: urls, store: app.store }),
    owner,
    projectId,
    sandboxes,
    connections,
    call,
    run(step, input, { connection, idempotencyKey, ...more } = {}) {
      const body = { connection_id: connection ?? connections[systemOfStep(step)], input, ...more };
      return call(`steps/${step}/run`, body, idempotencyKey ? { "idempotency-key": idempotencyKey } : {});
    },
  };
}

/** Those of the demonstration account. The grant of web analytics belongs to the region's own client here. */
const credentialsOf = (sandboxes: Record<SystemId, TestSandbox>): Record<SystemId, Record<string, unknown>> => ({
  ...forEachSystem(({ id, signIn }) => signIn.credentials.ofSandbox(sandboxes[id].credentials)),
  analytics: { refresh_token: sandboxes.analytics.credentials.oauth.refresh_tokens.administrator },
});
