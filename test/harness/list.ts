import { failoverByHosts, failoverByProxy } from "./failover/failover.ts";
import type { Harness } from "./frame/harness.ts";
import { killLoopHarness } from "./kills/kill-loop.ts";
import { killLoopOfRuns } from "./kills/kill-loop-runs.ts";
import { partition } from "./partition/partition.ts";

/** Every harness, in the order in which `npm run harness` runs them. */
export const harnesses: readonly Harness[] = [
  killLoopHarness,
  killLoopOfRuns,
  failoverByHosts,
  failoverByProxy,
  partition,
];
