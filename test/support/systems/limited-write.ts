import { findStep } from "../../../src/systems/index.ts";
import { startPlatform } from "../platform.ts";
import { open } from "./limit-calls.ts";

/** A write to marketing automation by a run, and the limits that it counts against, whose time tests move. */
export async function startLimitedWrite(endpoint: string, body: object) {
  const { app, connections, projectId, sandboxes } = await startPlatform("sqlite");
  const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
  const step = findStep("marketing_api_call");
  if (!step || !connection) throw new Error("Something is missing.");
  const world = await open("sqlite");
  const now = () => new Date(world.now());
  const later = new Date(world.now() + 900_000);
  const call = {
    step,
    input: { method: "POST", endpoint, body },
    connection,
    context: { intentId: "run_1", now: now(), identity: connection.identity },
    fence: { isHeld: () => true },
    runId: "run_1",
    callerId: "run_1",
    waitUntil: later,
    stayUntil: later,
  };
  const viewer = { organizationId: connection.organizationId, projectId };
  return { call, ports: { ...app.context.rooms.steps, now }, world, viewer, marketing: sandboxes.marketing };
}
