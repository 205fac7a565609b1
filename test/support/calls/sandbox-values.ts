import type { Operation } from "../../../src/calls/define-operation.ts";
import { createOutbound } from "../../../src/transport/outbound.ts";
import { createSandboxControl } from "../../../src/transport/sandbox-control.ts";
import { cleanUpLater } from "../stores.ts";
import { sandboxUrls, startSandbox } from "../systems/vault.ts";
import type { Team } from "../team.ts";

/** Values for calls that control a sandbox. The team's server then runs one, as its own. */
export async function sandboxMakers(team: Team, { area }: Operation): Promise<Record<string, () => unknown>> {
  if (area !== "sandboxes") return {};
  const { rooms } = team.context;
  if (rooms.sandboxes === null) {
    const { url } = await startSandbox("deployment");
    const outbound = createOutbound({ privateOrigins: [url] });
    cleanUpLater(() => outbound.close());
    rooms.sandboxes = createSandboxControl(sandboxUrls({}, url), outbound);
  }
  const control = rooms.sandboxes;
  return {
    system: () => "deployment",
    seconds: () => 60,
    kind: () => "slow",
    fault_id: async () => (await control.addFault("deployment", { match: {}, times: 1, delay_ms: 1 })).fault_id,
  };
}
