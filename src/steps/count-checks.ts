import type { Limits } from "../limits/limits.ts";
import { systemOf } from "../systems/index.ts";
import type { Method, StepRequest } from "../systems/work.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { Connection } from "../vault/vault.ts";

/** A look at an account has time, and no more than a person has who asked for it. */
const waitMilliseconds = 15_000;

/**
 * The way out for looks at an account: the system's limits know no difference between them and the calls of steps, so they
 * are counted with those. Without room there is no look.
 */
export const countChecks =
  (outbound: Outbound, limits: Pick<Limits, "admit">, now: () => Date) =>
  (connection: Connection): Outbound => ({
    ...outbound,
    async send(request) {
      const { system, organizationId, projectId, id: connectionId } = connection;
      const path = request.target.replace(/\?.*$/s, "");
      const asked: StepRequest = {
        method: request.method as Method,
        api: "main",
        path,
        effect: "read",
        idempotent: true,
      };
      const demands = systemOf(system).demands(asked, request.origin, connection);
      const caller = { id: "check", organizationId, projectId, connectionId, runId: "" };
      const permit = await limits.admit(demands, caller, new Date(now().getTime() + waitMilliseconds));
      try {
        return await outbound.send(request);
      } finally {
        await permit.settle([], "arrived");
      }
    },
  });
