import { alike, type KeptInFiles, type Keyed, together } from "./keyed.ts";

/** What a part of the process is at: whether it runs, waits or stops, its timer, and the one work that is under way. It names no tenant. */
const stage: Keyed = ["nobody: what this part of the process is at", "one flag, timer or promise"];

export const keptAsStages: KeptInFiles = together(
  alike(stage, {
    "src/main.ts": "startSignalbox.stopping",
    "src/start/first-run/connect-when-ready.ts": "createFirstConnections.connected createFirstConnections.reconnecting",
    "src/access/mails/mail-queue.ts":
      "createMailQueue.queued createMailQueue.running createMailQueue.scheduled createMailQueue.stopped createMailQueue.woken",
    "src/access/mails/unsent-mails.ts": "createUnsentMails.timer createUnsentMails.writing",
    "src/agents/events/event-queue.ts": "createEventQueue.lastPass createEventQueue.stopped",
    "src/calls/idempotency-leases.ts": "createKeyLeases.timer createKeyLeases.renewing",
    "src/cli/serve/until-stopped.ts": "untilStopped.stopping",
    "src/http/server.ts": "createServer.stopping",
    "src/retention/pruner.ts": "createPruner.stopping createPruner.underWay createPruner.timer",
    "src/schedules/clock-set-back.ts": "createClockWatch.last",
    "src/schedules/start-due.ts":
      "createScheduleClock.underway createScheduleClock.isPolling createScheduleClock.timer createScheduleClock.mayBeAhead",
    "src/start/region/move-times-back.ts":
      "watchForClockSetBack.mayBeAhead watchForClockSetBack.looks watchForClockSetBack.underway watchForClockSetBack.timer",
    "src/transport/pools.ts": "createPools.closed",
    "src/untrusted/compute.ts": "createCompute.timer",
    "src/untrusted/process-pool.ts": "ProcessPool.isClosed",
    "src/untrusted/helper-process.ts": "startHelper.state",
    "src/vault/vault.ts": "createHealthChecks.underway",
    "src/webhooks/delivery-jobs.ts": "createDeliveryJobs.running createDeliveryJobs.stopped",
    "src/webhooks/dispatcher.ts":
      "createDispatcher.running createDispatcher.again createDispatcher.scheduled createDispatcher.stopped createDispatcher.nudge",
    "src/webhooks/live/live-stream.ts": "createLive.isRunning createLive.isClosed createLive.wakeUp",
  }),
  // Runs and limits.
  alike(stage, {
    "src/limits/heartbeat.ts":
      "createHeartbeat.underWay createHeartbeat.confirmedAt createHeartbeat.running createHeartbeat.closed createHeartbeat.cancelTimer",
    "src/limits/history/sample-history.ts": "createHistorySampler.cancelTimer createHistorySampler.closed",
    "src/limits/reported/watch-low-limits.ts": "createWatch.noticed createWatch.cancelTimer createWatch.closed",
    "src/limits/waiting/shared-waiters.ts":
      "createSharedWaiters.isFailing createSharedWaiters.cancelTimer createSharedWaiters.closed",
    "src/runs/queue/due-queue.ts": "createFront.front createFront.isAllWanted createFront.hasPassedOver",
    "src/runs/queue/missing-entries.ts": "createMissingEntries.isOver",
    "src/runs/worker/claim-loop.ts":
      "createClaimLoop.claiming createClaimLoop.again createClaimLoop.isShort createClaimLoop.begun createClaimLoop.stopped createClaimLoop.polling createClaimLoop.timer createClaimLoop.pausing",
    "src/runs/worker/withdrawn-runs.ts": "createWithdrawnRuns.firstLook createWithdrawnRuns.stopped",
    "src/runs/worker/worker.ts": "createWorker.stopped",
  }),
  alike(["organization: each queue is one's", "one flag, timer or number"], {
    "src/limits/waiting/admission-queue.ts":
      "createAdmissionQueue.blockedBy createAdmissionQueue.atWork createAdmissionQueue.again createAdmissionQueue.rounds createAdmissionQueue.closed createAdmissionQueue.cancelTimer",
  }),
  // Counts that nodes share.
  alike(stage, {
    "src/calls/rate-limits/shared-counts/count-exactly.ts":
      "createExactCounts.isUnderWay createExactCounts.isAway createExactCounts.cancelRetry createExactCounts.isClosed",
    "src/calls/rate-limits/shared-counts/share-windows.ts":
      "createWindowSharing.isAway createWindowSharing.isScheduled createWindowSharing.isClosed createWindowSharing.underWay createWindowSharing.cancelIdle",
    "src/calls/rate-limits/shared-counts/shared-counts.ts":
      "createSharedCounts.prunedAt createSharedCounts.cancel createSharedCounts.isClosed",
  }),
  // The stores of a region: how they commit, and whether they can be reached.
  alike(stage, {
    "src/store/restore-detection.ts":
      "startMarkWriter.triedAt startMarkWriter.failure startMarkWriter.trying startMarkWriter.isRecorded",
    "src/store/share-commits.ts": "shareCommits.underWay shareCommits.scheduled",
    "src/store/sqlite/checkpoints.ts":
      "createCheckpointer.thread createCheckpointer.underWay createCheckpointer.holding createCheckpointer.closing createCheckpointer.idle createCheckpointer.notBefore",
    "src/store/sqlite/group-commit.ts":
      "createGroupCommit.isClosed createGroupCommit.batchOpen createGroupCommit.draining",
    "src/store/sqlite/run-batch.ts": "createBatchRunner.isLeftOpen createBatchRunner.written",
    "src/store/sqlite/resume-callers.ts": "createResumeCallers.resumedAtOnce",
    "src/store/sqlite/watch-waits.ts": "createWaitWatch.watching createWaitWatch.turnsWaited createWaitWatch.giveUp",
    "src/store/sqlite/query-cache.ts": "createQueryCache.wroteAnything createQueryCache.version",
    "src/store/sqlite/read-thread.ts": "openReadThread.thread openReadThread.idle",
    "src/store/sqlite/shared-reads.ts": "createSharedReads.isShared createSharedReads.isReading",
    "src/store/sqlite/sqlite.ts": "openSqlite.isClosed",
    "src/store/postgres/pools.ts":
      "createPools.closing createPools.isPreparing createPools.isLimited createPools.isDown createPools.probing createPools.probeAgainAt createPools.checkedAt createPools.pool once.made",
    "src/store/postgres/postgres.ts": "openPostgres.isReserveChecked",
    "src/store/postgres/replica.ts": "createReplica.awayUntil createReplica.isAway createReplica.complainedAt",
    "src/store/postgres/signals.ts":
      "createPostgresSignals.closing createPostgresSignals.listening createPostgresSignals.reopening",
  }),
  alike(["nobody: the read that is under way, in the order they come", "one"], {
    "src/store/sqlite/read-thread.ts": "openReadThread.current",
  }),
  // The process itself, its children and its log.
  alike(stage, {
    "src/kernel/loop-watch.ts": "watchLoop.worst watchLoop.lastTick watchLoop.cpuBefore",
    "src/kernel/standard-output.ts": "gatherLines.gathered gatherLines.timer gatherLines.inFlight",
    "src/http/metrics.ts": "createMetrics.worstSeconds",
    "src/start/sandboxes/start-sandboxes.ts": "startOwnSandboxes.running startOwnSandboxes.stopping",
    "src/start/first-run/complete-first-run.ts":
      "createFirstRunSetUp.isIncomplete createFirstRunSetUp.trying createFirstRunSetUp.timer createFirstRunSetUp.stopped",
    "src/start/region/open-region.ts": "openOn.isClosing",
    "src/start/region/take-over-file.ts": "takeOverFile.restore findRestore.isRecorded",
    "src/start/telemetry/otlp.ts": "complainInto.lastAt",
    "src/start/cluster/member.ts": "joinProcesses.state joinProcesses.stop",
    "src/start/cluster/primary.ts":
      "startProcesses.isStarted startProcesses.stopping startProcesses.ended startProcesses.onAllEnded startProcesses.exitCode",
  }),
);
