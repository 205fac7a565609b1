import type { Limits } from "../limits/limits.ts";
import { systemOf } from "../systems/index.ts";
import type { Method, StepRequest } from "../systems/work.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { Connection } from "../vault/vault.ts";

/** How long a check of an account waits for a limit: a person may be waiting for it. */
const waitMilliseconds = 15_000;

/**
 * The outbound for checks of an account. The system counts them like the calls of steps, so our limits do, too. If a
 * limit is used up, there is no check.
 */
export const countChecks =
  (outbound: Outbound, limits: Pick<Limits, "admit">, now: () => Date) =>
  (connection: Connection): Outbound => ({
    ...outbound,
    async send(request) {
      const { system, organizationId, projectId, id: connectionId } = connection;
      const path = request.target.replace(/\?.*$/s, "");
      const counted: StepRequest = {
        method: request.method as Method,
        api: "main",
        path,
        effect: "read",
        idempotent: true,
      };
      const demands = systemOf(system).demands(counted, request.origin, connection);
      const caller = { id: "check", organizationId, projectId, connectionId, runId: "" };
      const permit = await limits.admit(demands, caller, new Date(now().getTime() + waitMilliseconds));
      try {
        return await outbound.send(request);
      } finally {
        await permit.settle([], "arrived");
      }
    },
  });
