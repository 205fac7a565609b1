import type { Limits } from "../limits/limits.ts";
import type { System } from "../systems/define.ts";
import { systemOf } from "../systems/index.ts";
import type { Method, StepRequest } from "../systems/work.ts";
import { type Outbound, SendFailed } from "../transport/outbound.ts";
import type { Connection } from "../vault/vault.ts";
import { stillAtWork } from "./still-at-work.ts";

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
      const facts: System = systemOf(system);
      const sentAt = performance.now();
      try {
        const answer = await outbound.send(request);
        const told = facts.reportedLimits(answer, counted, request.origin, connection.identity);
        await permit.settle(
          told.filter(({ usedSoFar }) => usedSoFar !== undefined),
          "arrived",
        );
        return answer;
      } catch (error) {
        const isSent = error instanceof SendFailed && error.sent === "maybe";
        const atWork = isSent ? stillAtWork(error, facts, counted, performance.now() - sentAt) : 0;
        await permit.settle([], isSent || !(error instanceof SendFailed) ? "arrived" : "never sent", atWork);
        throw error;
      }
    },
  });
