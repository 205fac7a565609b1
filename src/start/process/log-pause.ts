import type { Log } from "../../kernel/log.ts";
import type { LoopPause } from "../../kernel/loop-watch.ts";

/** With the ids of the tenant, so that an operator can ask them. The log never has what was sent. */
export function logPause(log: Log, { seconds, cpuSeconds, doing, work, share }: LoopPause): void {
  const { operation, organizationId, projectId, runId, stepId } = work;
  const line = {
    pause_ms: Math.round(seconds * 1000),
    cpu_ms: Math.round(cpuSeconds * 1000),
    doing,
    share: Math.round(share * 100) / 100,
    operation,
    organization_id: organizationId,
    project_id: projectId,
    run_id: runId,
    step_id: stepId,
  };
  // An operator looks for the cause elsewhere than in the work that is named.
  const isWaiting = cpuSeconds < seconds / 2;
  log.warn(
    line,
    `the event loop stood still${isWaiting ? ", mostly waiting for the processor or the disk: the machine is busy" : ""}`,
  );
}
