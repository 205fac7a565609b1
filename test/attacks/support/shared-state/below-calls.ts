import { type KeptInFiles, oneCall, ourOwn, sameForAll, withTheProcess } from "./keyed.ts";

/** What the rooms below keep: systems, transport, computing, limits, vault and store. */
export const keptBelowCalls: KeptInFiles = {
  "src/kernel/tracing.ts": { tracer: [ourOwn, "one, where a collector is configured"] },
  "src/kernel/ids.ts": {
    lastMillisecond: ["nobody: a clock", "one number"],
    lastText: ["nobody: a clock", "one text"],
    countWithin: ["nobody: ids of one millisecond need to differ; each has a random part besides", "one number"],
  },
  "src/kernel/large-objects.ts": { counts: ["value of one call", "gone with the value"] },
  "src/kernel/strict-json.ts": {
    structure: ["nobody: an expression whose place is set anew by each walk, which nothing interrupts", "one number"],
    "RecentNames.all": [oneCall, "the highest number of names in a text"],
    "RecentNames.recent": [oneCall, "the few last names of a text"],
  },
  "src/kernel/log.ts": {
    lastMillisecond: ["nobody: a clock", "one number"],
    lastText: ["nobody: a clock", "one text"],
  },
  "src/kernel/loop-watch.ts": {
    noWork: [ourOwn, "empty, and nobody changes it"],
    doing: ["nobody: what the thread does now, for the operator's log", "one"],
    work: ["nobody: for whom the thread works now, for the operator's log", "one"],
    since: ["nobody: a clock", "one number"],
    longest: ["nobody: the longest stretch of work since the last tick, for the operator's log", "one"],
  },
  "src/kernel/validation-sentences.ts": {
    listings: ["the list itself, which is its caller's or a schema's", "as long as the list is in use"],
  },
  "src/kernel/parse-within.ts": { boundsBySchema: [ourOwn, "one for each schema of ours"] },
  "src/kernel/elapsed-time.ts": { "createElapsedTime.kept": ["nobody: a clock", "two numbers, for 100 ms"] },
  "src/kernel/random.ts": {
    pool: ["nobody: random bytes, each overwritten once it is taken", "8,192"],
    position: ["nobody: how far the pool is used", "one number"],
  },
  "src/kernel/batch-by-turn.ts": {
    "batchByTurn.arrived": ["nobody: all go on in the next turn of the loop", "one turn of the loop"],
  },
  "src/kernel/work-in-slices.ts": {
    waiting: ["nobody: in the order they come, one in each turn of the event loop", "open calls and runs"],
  },
  "src/store/postgres/database-clock.ts": {
    "followDatabaseClock.known": ["nobody: a clock", "one time"],
    "followDatabaseClock.difference": ["nobody: a clock", "one number"],
    "followDatabaseClock.measuredAt": ["nobody: a clock", "one number"],
  },
  "src/store/postgres/signals.ts": {
    "createPostgresSignals.pending": ["nobody: kinds of work, for the other nodes", "three, for 10 ms"],
  },
  "src/limits/waiting/admission-queue.ts": {
    "createAdmissionQueue.whenSettled": ["settlement of a call", "gone once it is durable"],
    "createAdmissionQueue.whenStarted": ["write that is about to be sent", "gone with the write"],
    "createAdmissionQueue.settlements": [
      "organization: each queue is one's",
      "gone once written, or after the call's time",
    ],
    "createAdmissionQueue.starts": ["organization: each queue is one's", "gone with the next round"],
  },
  "src/limits/waiting/queue-registry.ts": {
    "createAdmissionQueues.queues": [
      "organization and its demands",
      "2,000 and those with waiting calls, idle ones go",
    ],
  },
  "src/limits/state/calendar.ts": { daysByZone: [ourOwn, "one for each time zone that a system of ours counts in"] },
  "src/limits/new-uses.ts": {
    "createNewUses.writtenAt": ["project, connection and subject of a limit", "10,000, then all are forgotten"],
  },
  "src/limits/reported/reported-limits.ts": {
    "createReportedLimits.reported": ["organization, subject and name of a limit", "10,000, idle ones go"],
    "createReportedLimits.difference": ["nobody: a clock", "one number"],
  },
  "src/limits/history/sample-history.ts": {
    "createHistorySampler.used": [
      "organization and subject of a limit",
      "gone with the next sample, ten seconds later",
    ],
  },
  "src/limits/waiting/shared-waiters.ts": {
    "createSharedWaiters.shown": ["organization and subject of a limit", "gone when no call waits there"],
  },
  "src/limits/waiting/waiting-queue.ts": {
    "createWaitingQueue.queues": ["caller, in an organization's queue", "1,000 each, 3,000 in a queue"],
  },
  "src/store/clock/expiry-clock.ts": {
    "openExpiryClock.known": ["nobody: a clock", "one time"],
    "openExpiryClock.looked": ["nobody: a clock", "one time"],
  },
  "src/store/db.ts": { staticTexts: [ourOwn, "statements whose text no caller composes"] },
  "src/store/postgres/statement-watch.ts": {
    "createStatementWatch.entries": ["statement", "gone with its answer, or with its deadline"],
  },
  "src/store/postgres/driver.ts": {
    "openAlone.sockets": [withTheProcess, "one connection while an index is built"],
  },
  "src/store/postgres/pools.ts": {
    "openPool.sockets": [withTheProcess, "connections to the database"],
    "openPool.opened": [withTheProcess, "one for each pool"],
  },
  "src/store/share-commits.ts": {
    "shareCommits.queue": ["nobody: in the order they come, 128 to a commit", "open calls and runs"],
  },
  "src/store/sqlite/query-cache.ts": {
    "createQueryCache.results": ["statement and all its values", "5,000 answers of 20 rows, then all are forgotten"],
    "createQueryCache.writtenBy": [ourOwn, "statements whose text no caller composes"],
    "createQueryCache.wordsOf": [ourOwn, "statements whose text no caller composes"],
    "createQueryCache.written": ["table", "gone with the commit"],
  },
  "src/store/postgres/postgres.ts": {
    "openPostgres.diskSpace": ["nobody: whether the disk was full", "one"],
  },
  "src/store/postgres/turns.ts": { "createTurns.waiting": ["nobody: in the order they come", "open calls and runs"] },
  "src/store/sqlite/read-thread.ts": { "openReadThread.waiting": ["nobody: in the order they come", "open calls"] },
  "src/store/sqlite/connection.ts": {
    "statementRunner.prepared": [ourOwn, "statements whose text no caller composes"],
  },
  "src/store/sqlite/sqlite.ts": {
    "openSqlite.diskSpace": ["nobody: whether the disk was full", "one"],
  },
  "src/store/sqlite/group-commit.ts": {
    "createGroupCommit.queue": ["nobody: in the order they come, 256 to a commit", "open calls and runs"],
  },
  "src/store/sqlite/resume-callers.ts": {
    "createResumeCallers.waiting": ["nobody: in the order of their commit", "open calls and runs"],
  },
  "src/store/sqlite/shared-reads.ts": {
    "createSharedReads.onlyReads": [ourOwn, "statements whose text no caller composes"],
  },
  "src/systems/deployment/steps/deployment-api-call.ts": { made: ["input of one call", "gone with the input"] },
  "src/systems/deployment/protocol/endpoints.ts": { found: ["request", "gone with the request"] },
  "src/systems/read-pages.ts": {
    "createCollector.items": [oneCall, "100,000 items, 8 MiB"],
    "createCollector.ids": [oneCall, "100,000 items"],
  },
  "src/systems/marketing/central-midnight.ts": { days: [ourOwn, "one"] },
  "src/systems/paths.ts": { last: [sameForAll, "one, of at most 64 KiB"] },
  "src/transport/send-over-connection.ts": {
    "PendingRequest.headers": [oneCall, "the highest size of headers"],
    "PendingRequest.gathered": [oneCall, "the highest size of an answer"],
    "PendingRequest.chunks": [oneCall, "the highest size of an answer"],
  },
  "src/transport/capacity.ts": {
    "createCapacity.tenants": [
      "organization",
      "calls: 128 each, 1,024 in all; large answers: 4 each, 16 in all; gone with the last",
    ],
  },
  "src/transport/pools.ts": {
    "createPools.entries": ["organization and origin", "32 each, 1,024 in all, the least used goes"],
  },
  "src/transport/redact.ts": {
    isSecretByName: [sameForAll, "10,000 names of at most 100 characters, then all are forgotten"],
    formsBySecret: ["secret, which only its owner's calls carry", "1,000, then all are forgotten"],
  },
  "src/transport/outbound-by-use.ts": {
    "logOncePerMinute.loggedAt": [
      "organization, origin and reason",
      "1,000, then all are forgotten; it only spares lines in the log",
    ],
  },
  "src/untrusted/answer-time-budgets.ts": {
    "createBudgets.spent": ["organization", "gone once its budget is full again"],
  },
  "src/untrusted/child-program.ts": {
    until: ["nobody: the deadline of the one job that this process is at", "two numbers"],
    loaded: [ourOwn, "one for each task"],
    turn: ["nobody: the number of the turn, which is one organization's", "one number"],
    turnSpent: ["turn, which is one organization's", "one number"],
    lastJob: ["turn, which is one organization's", "what the parent sends for one turn"],
  },
  "src/untrusted/process-pool.ts": {
    "ProcessPool.helpers": [
      "nobody: an organization has a turn at one, and never all of them",
      "the number of processes",
    ],
  },
  "src/untrusted/expression-syntax/split-text.ts": {
    cached: [sameForAll, "2,000 of at most 4,000 characters, then all are forgotten"],
  },
  "src/untrusted/fair-queue.ts": {
    "createFairQueue.queues": [
      "organization, or a caller's address and region",
      "computing: 2,000 jobs each, for 30 s; passwords: 64 each, 256 in all; gone with the last job",
    ],
  },
  "src/untrusted/tasks/evaluate-expression.ts": { cached: [sameForAll, "500, then all are forgotten"] },
  "src/untrusted/tasks/check-schema.ts": { cached: [sameForAll, "100, then all are forgotten"] },
  "src/vault/connections.ts": { "createConnectionReader.kept": ["connection", "10,000, then all are forgotten"] },
  "src/vault/sealing/data-keys.ts": {
    "createDataKeys.unwrapped": ["data key of an organization", "10,000, then all are forgotten"],
  },
  "src/vault/sealing/key-ring.ts": {
    "keyRingInFolder.others": ["master key in the operator's folder", "one for each"],
  },
  "src/vault/tokens.ts": {
    "createTokens.cached": ["connection", "10,000, then all are forgotten"],
    "createTokens.refreshes": ["connection", "gone when the token is there"],
  },
};
