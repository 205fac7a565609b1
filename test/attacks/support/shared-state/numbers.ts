import { alike, type KeptInFiles, type Keyed, oneCall, ourOwn, together } from "./keyed.ts";

/** Numbers and single values that outlive a call: counts, serial numbers, what is loaded once, and the state of one call. */
const inAll: Keyed = [
  "nobody: how many there are in all; the share of each tenant or address is counted beside",
  "one",
];
const serial: Keyed = ["nobody: a number by which our own ids differ", "one number"];
const once: Keyed = [ourOwn, "one, loaded when it is first needed"];
const ofCall: Keyed = [oneCall, "one value"];
const ofProgram: Keyed = ["nobody: the program of one person, who calls a server", "one"];

export const keptAsNumbers: KeptInFiles = together(
  alike(inAll, {
    "src/http/edge/body-budget.ts": "createBodyBudget.all createBodyBudget.anonymous",
    "src/http/edge/cap-connections.ts": "createConnections.open createConnections.refused",
    "src/identity/passwords/hash-queue.ts": "createHashQueue.running createHashQueue.turn",
    "src/limits/waiting/waiting-queue.ts": "createWaitingQueue.size",
    "src/runs/queue/run-memory.ts": "createRunMemory.all createRunMemory.aheadOfAll",
    "src/runs/worker/worker-capacity.ts": "createWorkerCapacity.all createWorkerCapacity.fromQueue",
    "src/transport/capacity.ts": "createCapacity.all",
    "src/untrusted/fair-queue.ts": "createFairQueue.size",
  }),
  alike(["nobody: calls take it in the order they come, and give it back with their statement", "one number"], {
    "src/store/postgres/turns.ts": "createTurns.free",
    "src/store/sqlite/query-cache.ts": "createQueryCache.size",
  }),
  alike(["nobody: above it a connection is closed without a word, which the log says every ten seconds", "100"], {
    "src/http/edge/refuse-connection.ts": "createExcessRefusal.lingering createExcessRefusal.lastLoggedAt",
  }),
  alike(["nobody: how many nodes count together", "one number"], {
    "src/calls/rate-limits/shared-counts/shared-counts.ts": "createSharedCounts.processes",
  }),
  alike(serial, {
    "src/access/directory/recent-requests.ts": "createDirectoryRequests.recorded",
    "src/agents/events/refused-events.ts": "createRefusals.noted",
    "src/calls/idempotency-leases.ts": "createKeyLeases.count",
    "src/limits/waiting/queue-registry.ts": "createAdmissionQueues.queueCount createAdmissionQueues.reservationCount",
    "src/start/cluster/member.ts": "joinProcesses.questions",
    "src/start/cluster/primary.ts": "startProcesses.asked startProcesses.replaced",
    "src/untrusted/process-pool.ts": "ProcessPool.turns",
  }),
  alike(once, {
    "src/access/mails/send-mail.ts": "sendBySmtp.transport",
    "src/http/documentation/site-files.ts": "once.made",
    "src/http/documentation/serve-documentation.ts": "serveDocumentation.document",
    "src/mcp/create-mcp.ts": "createMcp.library",
  }),
  alike(["nobody: the key that hides the codes of all invites of the region", "one"], {
    "src/vault/sealing/hide-invite-codes.ts": "createInviteCodes.halves createInviteCodes.isHiding",
  }),
  alike(ofCall, {
    "src/access/directory/condition-sql.ts": "ConditionWriter.values",
    "src/agents/models/model-fetch.ts": "createModelFetch.failure",
    "src/http/edge/request-body.ts": "bodyOf.release bodyOf.refusal",
    "src/http/edge/body-budget.ts": "take.isTaken",
    "src/identity/sso/saml/scan-xml.ts":
      "Scanner.at Scanner.elements Scanner.root Scanner.attributes Scanner.namespaces",
    "src/kernel/work-in-slices.ts": "workInSlices.startedAt workInSlices.before",
    "src/kernel/scrub-secrets.ts": "endFinder.charactersEnd",
    "src/limits/heartbeat.ts": "begin.isOver",
    "src/limits/permit.ts": "createPermit.until createPermit.isSettled",
    "src/mcp/watch-tools.ts": "watchTools.stream",
    "src/retention/write-archive.ts": "openArchive.bytes openArchive.size openArchive.lines",
    "src/runs/queue/run-memory.ts": "shareOfStep.share",
    "src/runs/journal/journal.ts":
      "openJournal.weight openJournal.memory openJournal.writing openJournal.failure openJournal.first openJournal.leaving openJournal.soon",
    "src/runs/worker/unsaved-runs.ts": "start.journal start.storing",
    "src/scim/filters/filter-tokens.ts": "FilterReader.at",
    "src/steps/fence.ts": "leaseFrom.held cutOffUnless.wasHeld",
    "src/steps/run-step.ts": "senderFor.progressed",
    "src/store/db.ts": "transactionDb.ended",
    "src/systems/read-pages.ts": "createCollector.bytes",
    "src/transport/memory-of-large-answers.ts":
      "createReservedAnswer.taken createReservedAnswer.isOver createReservedAnswer.waiting createSlottedAnswer.release createSlottedAnswer.waiting createSlottedAnswer.isOver",
    "src/transport/send-over-connection.ts":
      "PendingRequest.controller PendingRequest.status PendingRequest.rest PendingRequest.bytes PendingRequest.onLarge PendingRequest.hasWaited PendingRequest.timer PendingRequest.body PendingRequest.over",
    "src/webhooks/live/live-stream.ts": "open.tell open.isOpen",
  }),
  alike(ofProgram, {
    "src/client/caller.ts": "createCaller.base",
    "src/client/follow-run.ts": "openChanges.wake openChanges.hasChanged openChanges.isStreaming",
    "src/cli/terminal/progress-bar.ts": "createBar.turns",
    "src/cli/calling/caller.ts": "callerAt.hasAnswered",
  }),
);
