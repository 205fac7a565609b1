import { backupUnderLoad } from "./backup/backup-under-load.ts";
import { pointInTime } from "./backup/point-in-time.ts";
import { clockJumps } from "./clock/clock-jumps.ts";
import { failoverByHosts, failoverByProxy } from "./failover/failover.ts";
import type { Harness } from "./frame/harness.ts";
import { hostile } from "./hostile/hostile.ts";
import { killLoopHarness } from "./kills/kill-loop.ts";
import { killLoopOfRuns } from "./kills/kill-loop-runs.ts";
import { descriptors } from "./machine/descriptors.ts";
import { diskFull } from "./machine/disk-full.ts";
import { folderFaults } from "./machine/folder.ts";
import { freeze } from "./machine/freeze.ts";
import { memory } from "./machine/memory.ts";
import { migrationKills } from "./migrations/migration-kills.ts";
import { partition } from "./partition/partition.ts";
import { pressure } from "./pressure/pressure.ts";
import { simulation } from "./simulation/simulation.ts";
import { soak } from "./soak/soak.ts";
import { syscallSweep } from "./syscalls/syscall-sweep.ts";
import { tornLog } from "./syscalls/torn-log.ts";
import { testHarnesses } from "./tests/test-harnesses.ts";

/** Every harness, in the order in which `npm run harness` runs them. */
export const harnesses: readonly Harness[] = [
  killLoopHarness,
  killLoopOfRuns,
  failoverByHosts,
  failoverByProxy,
  partition,
  pressure,
  freeze,
  syscallSweep,
  tornLog,
  diskFull,
  descriptors,
  memory,
  clockJumps,
  ...testHarnesses,
  hostile,
  folderFaults,
  backupUnderLoad,
  pointInTime,
  migrationKills,
  soak,
  simulation,
];
