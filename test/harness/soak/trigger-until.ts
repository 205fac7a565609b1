import { createCaller } from "../../support/processes/http-caller.ts";
import type { World } from "../load/world.ts";

const atOnce = 8;

/**
 * Callers that trigger a tool again and again, and wait for its end. It needs no system: its first step ends at once, the second one waits
 * in the queue for a second. Returns how many runs have succeeded, and what else happened.
 */
export async function triggerUntil(
  { port, first }: World,
  isOver: () => boolean,
): Promise<{ runs: number; broken: string[] }> {
  const caller = createCaller(port, atOnce);
  const headers = { authorization: `Bearer ${first.project_id}:${first.api_key}` };
  const steps = [
    { name: "first", step: "wait", input: { until: "2020-01-01T00:00:00Z" } },
    { name: "second", step: "wait", input: { seconds: 1 } },
  ];
  const found = { runs: 0, broken: [] as string[] };
  const { body } = await caller.call("tools/create", { title: "Soak", steps }, headers);
  await caller.call(`tools/${body.tool_id}/publish`, {}, headers);
  const trigger = async (): Promise<void> => {
    while (!isOver()) {
      const { text, body: run } = await caller.call(`tools/${body.tool_id}/trigger`, { wait_seconds: 60 }, headers);
      if (run.status === "succeeded") found.runs++;
      else found.broken.push(`A run of a tool did not succeed: ${text.slice(0, 500)}`);
      if (found.broken.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, trigger)).finally(() => caller.close());
  return found;
}
