import { type KeptInFiles, oneCall, ourOwn, sameForAll, withTheProcess } from "./keyed.ts";

/** What the rooms keep that serve calls and do work: from the console down to steps and tools. */
export const keptInCalls: KeptInFiles = {
  "src/main.ts": {
    "startSignalbox.opened": ["region", withTheProcess],
    "startSignalbox.servers": ["region", withTheProcess],
  },
  "src/start/first-run/complete-first-run.ts": {
    "createFirstRunSetUp.regions": ["region", withTheProcess],
  },
  "src/start/cluster/member.ts": {
    "joinProcesses.waiting": ["question to the other processes", "gone with its answer, after 5 seconds at most"],
  },
  "src/start/cluster/primary.ts": {
    "startProcesses.slots": [ourOwn, "one for each process of the server"],
    "startProcesses.open": ["question to one process", "gone with its answer, after 2 seconds at most"],
    "startProcesses.settle": [ourOwn, "one"],
    "startProcesses.setUp": ["region", "three"],
  },
  "src/access/callers/authorization-header.ts": {
    remembered: ["the whole header, which only its sender has", "500, then all are forgotten"],
  },
  "src/access/directory/batches.ts": { texts: [ourOwn, "sizes of batches, times widths of rows"] },
  "src/access/directory/search-queue.ts": {
    "createSearchQueue.queues": ["directory", "16 each; gone when nobody waits"],
  },
  "src/access/directory/page-cursors.ts": {
    remembered: ["directory, in each store", "100 directories of 2,000 pages, then all are forgotten"],
  },
  "src/access/callers/last-used.ts": {
    "createLastUsed.recorded": [
      "key, session or directory's token",
      "those that have opened a call since the last write",
    ],
  },
  "src/access/mails/unsent-mails.ts": {
    "createUnsentMails.waiting": ["nobody: a file for the operator, where no mail server is set", "5,000, for 250 ms"],
  },
  "src/calls/idempotency-leases.ts": { "createKeyLeases.held": ["call", "gone when the call has its answer"] },
  "src/calls/rate-limits/rate-limiter.ts": {
    "createRateLimits.windows": [
      "policy, and key, browser or caller's address",
      "100,000 each, the least used goes; swept",
    ],
    "createRateLimits.policyTexts": [ourOwn, "one for each list of policies"],
  },
  "src/calls/rate-limits/shared-counts/count-exactly.ts": {
    "createExactCounts.queue": ["policy, and caller's address or key prefix", "gone with the next statement"],
  },
  "src/calls/rate-limits/shared-counts/share-windows.ts": {
    "createWindowSharing.asked": ["a window of rate-limiter.ts", "gone with the next exchange"],
    "createWindowSharing.holding": ["a window of rate-limiter.ts", "gone when it ends, or when it was released"],
    "createWindowSharing.waiting": [
      "a window of rate-limiter.ts",
      "gone when its calls are answered, within 2 seconds",
    ],
  },
  "src/api/steps/step-response.ts": { kept: [ourOwn, "two for each step"] },
  "src/http/allowed-methods.ts": { "createAllowedMethods.known": [ourOwn, "one for each route"] },
  "src/http/edge/body-budget.ts": {
    "createBodyBudget.shares": ["organization, or a stranger's address", "64 MiB and 4 MiB; gone with the last body"],
  },
  "src/http/edge/cap-connections.ts": {
    "createConnections.byAddress": [
      "caller's address",
      "gone with its last connection, of which there is a highest number",
    ],
  },
  "src/http/edge/expect-continue.ts": { waiting: ["request", "gone with the request"] },
  "src/http/edge/watch-readers.ts": {
    "watchReaders.open": ["connection", "gone with the connection"],
    "watchReaders.waiting": ["connection", "gone with the connection, or when it has taken everything"],
  },
  "src/http/metrics.ts": {
    ofProcess: ["no tenant: what the process uses", "one"],
    "createMetrics.tallies": [ourOwn, "one for each operation and region"],
    "createMetrics.kept": ["nobody: it names no tenant", "one page, for half a second"],
    "meterFor.tally": ["operation and region: it names no tenant", "one number for each status"],
  },
  "src/http/request-id.ts": { count: ["nobody: ids need to differ, and say nothing else", "one number"] },
  "src/http/serve-operations.ts": {
    noneInPath: [ourOwn, "empty, and nobody changes it"],
    "serveOperations.byPath": [ourOwn, "one for each operation"],
    "serveOperations.roundId": [ourOwn, "one for each operation"],
  },
  "src/http/sign-in/serve-sign-in.ts": { "serveSignIn.kept": [ourOwn, "one for each page and script"] },
  "src/identity/sso/oidc/configurations.ts": {
    "createConfigurations.cache": ["provider of an organization", "200, the oldest goes"],
  },
  "src/identity/passwords/hash.ts": {
    library: [ourOwn, "one"],
    decoyHash: ["nobody: the hash that is compared with where there is no account", "one"],
  },
  "src/identity/sso/saml/scan-xml.ts": { "Scanner.open": [oneCall, "the highest depth of a document"] },
  "src/identity/passwords/attempt-rows.ts": {
    "createRowsInMemory.failures": ["account and source", "100,000, the least of the oldest goes"],
    "createRowsInMemory.addresses": ["caller's address", "100,000, the least of the oldest goes"],
    "createRowsInMemory.ofFresh": ["account, by a hash with a secret of the process", "65,536 slots"],
    "createRowsInMemory.ofRepeated": ["account, by a hash with a secret of the process", "65,536 slots"],
  },
  "src/identity/passwords/shared-attempts.ts": {
    "begin.rows": [oneCall, "the four rows of one attempt"],
    "begin.now": [oneCall, "one number"],
    "viewOf.changed": [oneCall, "the four rows of one attempt"],
  },
  "src/agents/models/model-fetch.ts": {
    "createModelFetch.attempts": [oneCall, "the attempts of one turn of an agent"],
  },
  "src/agents/models/providers.ts": {
    "createModels.underWay": ["organization", "three quarters of what the others leave; gone with its last turn"],
  },
  "src/agents/loop/model-tools.ts": { cache: [ourOwn, "one for each step"] },
  "src/runs/worker/coalesce.ts": { "coalesce.pending": ["project and connection", "one turn of the loop"] },
  "src/tools/stored-definition.ts": {
    cache: [sameForAll, "500 of at most 16 KiB, the oldest goes"],
    texts: ["definition", "gone with the definition"],
  },
  "src/runs/journal/journal.ts": {
    "openJournal.records": [oneCall, "the steps of one run"],
    "openJournal.sizes": [oneCall, "the steps of one run"],
    "openJournal.pending": [oneCall, "the steps of one run, until they are written"],
    "openJournal.inTransaction": [oneCall, "the steps of one run, until they are written"],
  },
  "src/runs/engine/parse-input.ts": { parsedBefore: ["part of a definition", "gone with the definition"] },
  "src/runs/record/large-outputs.ts": {
    remembered: ["output of a run", "gone with the output"],
    lastOutput: ["output of a run", "one, of at most 128 Ki characters"],
    lastText: ["output of a run", "one, of at most 128 Ki characters"],
  },
  "src/untrusted/ordinary-schema.ts": { knownKinds: ["schema of a definition", "gone with the definition"] },
  "src/mcp/cancelled-calls.ts": {
    "createCancelledCalls.underWay": ["person, session and id of the call", "gone with the call"],
  },
  "src/mcp/watch-tools.ts": {
    "watchTools.listeners": [oneCall, "one for each subscription, of which a person may have 20"],
  },
  "src/runs/queue/run-memory.ts": {
    "createRunMemory.byOrganization": ["organization", "gone with its last run"],
    "createRunMemory.ahead": ["organization", "one run each, gone when that run leaves"],
    "createRunMemory.waiting": [
      "run of an organization",
      "gone when the run continues; at most 86 runs, and the 1,024 calls under way",
    ],
    "open.share": ["run of an organization", "gone with the run"],
  },
  "src/schedules/start-due.ts": { "createScheduleClock.pending": ["schedule", "the 20 that are due next"] },
  "src/tools/params.ts": { compiled: ["schema of a tool", "gone with its definition"] },
  "src/runs/worker/worker-capacity.ts": {
    "createWorkerCapacity.byOrganization": [
      "organization",
      "three quarters of what the others leave; gone with its last run",
    ],
  },
  "src/runs/worker/unsaved-runs.ts": {
    "createUnsavedRuns.unsaved": ["claim of a run", "gone when the run is stored or has ended; there are 86 places"],
  },
  "src/runs/worker/withdrawn-runs.ts": {
    "createWithdrawnRuns.looks": ["nobody: all are cancelled together", "10,000; gone after four looks at the store"],
  },
  "src/runs/queue/held-leases.ts": {
    "createHeldLeases.leases": ["claim of a run", "gone when the run is put down; there are 86 places"],
  },
  "src/runs/worker/active-runs.ts": {
    "createActiveRuns.progressed": ["claim of a run", "gone with the claim"],
    "createActiveRuns.active": ["claim of a run", "gone when the run has left; there are 86 slots"],
  },
  "src/runs/worker/heartbeat.ts": {
    "createHeartbeat.underWay": ["one for all", "gone when it has ended, or at the deadline of its statements"],
  },
  "src/scim/schema/attribute-path.ts": {
    subs: [ourOwn, "one for each attribute of our schemas"],
    ofSchema: [ourOwn, "one for each of our schemas"],
  },
  "src/scim/response/render.ts": { defaultRenderers: [ourOwn, "one for each type of resource"] },
  "src/steps/record-attempts.ts": { bodies: ["attempt of a run", "gone with the attempt"] },
  "src/steps/enforce-policy.ts": { read: ["policy of a connection", "gone with the connection's row in memory"] },
  "src/access/directory/recent-requests.ts": {
    "createDirectoryRequests.waiting": ["directory", "the last 100 of each, until the next flush, ten seconds later"],
  },
  "src/access/mails/mail-queue.ts": {
    "createMailQueue.underWay": ["organization", "50, and ten of each; gone when the attempt has ended"],
  },
  "src/webhooks/dispatcher-capacity.ts": {
    "createDispatcherCapacity.unresponsive": ["webhook", "1,000, the oldest goes"],
    "slots.byWebhook": ["webhook", "gone with the claim"],
    "createShares.byOrganization": ["organization", "gone with the claim"],
    "createShares.size": ["nobody: how many slots are held", "one number"],
  },
  "src/webhooks/delivery-turns.ts": {
    "createDeliveryTurns.lastOrganization": ["nobody: whose turn it was last", "one id"],
    "createDeliveryTurns.lastWebhooks": ["organization", "1,000, the oldest goes: its webhooks begin anew"],
  },
  "src/webhooks/delivery-jobs.ts": {
    "createDeliveryJobs.lastOrganization": ["nobody: whose turn it was last", "one id"],
  },
  "src/webhooks/dispatcher.ts": {
    "createDispatcher.underWay": [
      "webhook",
      "50, three quarters of what is free for one organization, and ten for each address; gone when the attempt has ended",
    ],
  },
  "src/agents/events/refused-events.ts": {
    "createRefusals.byAgent": ["agent", "1,000; the one whose last refusal is oldest is forgotten first"],
    "createRefusals.waiting": ["organization", "the last 100 of each, until the next flush, ten seconds later"],
  },
  "src/webhooks/live/live-stream.ts": {
    "createLive.projects": ["project", "gone when its last stream is closed"],
    "createLive.counts": ["person, organization, and all", "gone when the streams are closed; refused beyond 5,000"],
    "open.missed": [oneCall, "emptied when the caller listens, at once after the stream is opened"],
  },
  "src/agents/events/event-queue.ts": { "createEventQueue.busy": ["organization", "gone when its events are started"] },
  "src/webhooks/webhook-room.ts": { "createWebhookRoom.timer": ["no tenant: a timer", withTheProcess] },
  "src/agents/events/event-room.ts": { "createEventRoom.timers": ["no tenant: timers", withTheProcess] },
  "src/agents/run-starter.ts": { "createRunStarter.cache": ["tool", "1,000, then all are forgotten"] },
};
