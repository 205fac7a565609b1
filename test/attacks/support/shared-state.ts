/** By what a piece of state is keyed, and how large it can become or what ends an entry. */
type Keyed = readonly [by: string, bound: string];

const ourOwn = "nobody: it holds what our own source says, the same for everybody";
const oneCall = "nobody: one call, run or document has it to itself";
const sameForAll = "the text itself: it means the same for every author";
const withTheProcess = "one for each part of the process; nobody adds any from outside";

/** Everything in the process that outlives a call, by file. `npm test -- test/attacks/shared-state` says what is missing. */
export const keptInTheProcess: Record<string, Record<string, Keyed>> = {
  "src/main.ts": {
    "startSignalbox.opened": ["region", withTheProcess],
    "startSignalbox.servers": ["region", withTheProcess],
  },
  "src/start/processes/member.ts": {
    "joinProcesses.waiting": ["question to the other processes", "gone with its answer, after 5 seconds at most"],
  },
  "src/start/processes/primary.ts": {
    "startProcesses.slots": [ourOwn, "one for each process of the server"],
    "startProcesses.open": ["question to one process", "gone with its answer, after 2 seconds at most"],
    "startProcesses.settle": [ourOwn, "one"],
  },
  "src/access/callers/authorization-header.ts": {
    remembered: ["the whole header, which only its sender has", "500, then all are forgotten"],
  },
  "src/access/directory/batches.ts": { texts: [ourOwn, "sizes of batches, times widths of rows"] },
  "src/access/directory/search-queue.ts": { queues: ["directory", "16 each; gone when nobody waits"] },
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
  "src/calls/key-leases.ts": { "createKeyLeases.held": ["call", "gone when the call has its answer"] },
  "src/calls/rate-limits.ts": {
    "createRateLimits.windows": [
      "policy, and key, browser or caller's address",
      "100,000 each, the least used goes; swept",
    ],
    "createRateLimits.policyTexts": [ourOwn, "one for each list of policies"],
  },
  "src/calls/shared-counts/count-exactly.ts": {
    "createExactCounts.queue": ["policy, and caller's address or key prefix", "gone with the next statement"],
  },
  "src/calls/shared-counts/share-windows.ts": {
    "createWindowSharing.asked": ["a window of rate-limits.ts", "gone with the next exchange"],
    "createWindowSharing.holding": ["a window of rate-limits.ts", "gone when it ends, or when it was given back"],
    "createWindowSharing.waiting": ["a window of rate-limits.ts", "gone when its calls are answered, within 2 seconds"],
  },
  "src/api/steps/records.ts": { kept: [ourOwn, "two for each step"] },
  "src/http/allowed-methods.ts": { "createAllowedMethods.known": [ourOwn, "one for each route"] },
  "src/http/edge/body-budget.ts": {
    "createBodyBudget.shares": ["organization, or a stranger's address", "64 MiB and 4 MiB; gone with the last body"],
  },
  "src/http/edge/connections.ts": {
    "createConnections.byAddress": [
      "caller's address",
      "gone with its last connection, of which there is a highest number",
    ],
  },
  "src/http/edge/continue.ts": { waiting: ["request", "gone with the request"] },
  "src/kernel/tracing.ts": { tracer: [ourOwn, "one, where a collector is configured"] },
  "src/http/metrics.ts": {
    ofProcess: ["no tenant: what the process uses", "one"],
    "createMetrics.tallies": [ourOwn, "one for each operation and region"],
    "createMetrics.kept": ["nobody: it names no tenant", "one page, for half a second"],
    "meterFor.tally": ["operation and region: it names no tenant", "one number for each status"],
  },
  "src/http/edge/refuse-connection.ts": {
    lingering: ["nobody: above it a connection is closed without a word", "100"],
    lastLoggedAt: ["nobody: the log says once in ten seconds that connections are refused", "one number"],
  },
  "src/http/request-id.ts": { count: ["nobody: ids need to differ, and say nothing else", "one number"] },
  "src/http/serve-operations.ts": {
    noneInPath: [ourOwn, "empty, and nobody changes it"],
    "serveOperations.byPath": [ourOwn, "one for each operation"],
    "serveOperations.roundId": [ourOwn, "one for each operation"],
  },
  "src/http/serve-pages.ts": { "servePages.paths": [ourOwn, "one for each page"] },
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
    "viewOf.changed": [oneCall, "the four rows of one attempt"],
  },
  "src/kernel/ids.ts": {
    lastMillisecond: ["nobody: a clock", "one number"],
    lastText: ["nobody: a clock", "one text"],
    countWithin: ["nobody: ids of one millisecond need to differ; each has a random part besides", "one number"],
  },
  "src/kernel/json.ts": {
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
  "src/kernel/parse-within.ts": { known: [ourOwn, "one for each schema of ours"] },
  "src/kernel/elapsed-time.ts": { "createElapsedTime.kept": ["nobody: a clock", "two numbers, for 100 ms"] },
  "src/kernel/random.ts": {
    pool: ["nobody: random bytes, each overwritten once it is taken", "8,192"],
    position: ["nobody: how far the pool is used", "one number"],
  },
  "src/kernel/batch-by-turn.ts": {
    "batchByTurn.arrived": ["nobody: all go on in the next turn of the loop", "one turn of the loop"],
  },
  "src/agents/models/model-fetch.ts": {
    "createModelFetch.attempts": [oneCall, "the attempts of one turn of an agent"],
  },
  "src/agents/loop/model-tools.ts": { cache: [ourOwn, "one for each step"] },
  "src/runs/queue/coalesce.ts": { "coalesce.pending": ["project and connection", "one turn of the loop"] },
  "src/tools/definition-text.ts": {
    cache: [sameForAll, "500 of at most 16 KiB, the oldest goes"],
    texts: ["definition", "gone with the definition"],
  },
  "src/runs/journal/journal.ts": {
    "openJournal.records": [oneCall, "the steps of one run"],
    "openJournal.sizes": [oneCall, "the steps of one run"],
    "openJournal.pending": [oneCall, "the steps of one run, until they are written"],
    "openJournal.inTransaction": [oneCall, "the steps of one run, until they are written"],
  },
  "src/runs/journal/large-outputs.ts": { remembered: ["output of a run", "gone with the output"] },
  "src/store/postgres/signals.ts": {
    "createPostgresSignals.pending": ["nobody: kinds of work, for the other nodes", "three, for 10 ms"],
  },
  "src/mcp/cancelled-calls.ts": {
    "createCancelledCalls.underWay": ["person, session and id of the call", "gone with the call"],
  },
  "src/mcp/watch-tools.ts": {
    "watchTools.listeners": [oneCall, "one for each subscription, of which a person may have 20"],
  },
  "src/runs/engine/run-memory.ts": {
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
  "src/runs/queue/worker-capacity.ts": {
    "createWorkerCapacity.byOrganization": [
      "organization",
      "three quarters of what the others leave; gone with its last run",
    ],
  },
  "src/runs/queue/unsaved-runs.ts": {
    "createUnsavedRuns.unsaved": ["claim of a run", "gone when the run is stored or has ended; there are 86 places"],
  },
  "src/runs/queue/worker.ts": {
    "createWorker.heartbeats": ["one for all", "gone when it has ended, or at the deadline of its statements"],
    "createWorker.progressed": ["claim of a run", "gone with the claim"],
    "createWorker.active": ["claim of a run", "gone when the run is put down; there are 86 places"],
    "createWorker.leases": ["claim of a run", "gone when the run is put down; there are 86 places"],
    "createWorker.timers": ["no tenant: timers", withTheProcess],
  },
  "src/scim/attribute-path.ts": {
    subs: [ourOwn, "one for each attribute of our schemas"],
    ofSchema: [ourOwn, "one for each of our schemas"],
  },
  "src/scim/render.ts": { defaultRenderers: [ourOwn, "one for each type of resource"] },
  "src/steps/attempts.ts": { bodies: ["attempt of a run", "gone with the attempt"] },
  "src/steps/enforce-policy.ts": { read: ["policy of a connection", "gone with the connection's row in memory"] },
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
  },
  "src/access/directory/requests.ts": {
    "createDirectoryRequests.waiting": ["directory", "the last 100 of each, until the next flush, ten seconds later"],
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
  "src/store/db.ts": { staticTexts: [ourOwn, "statements whose text no caller composes"] },
  "src/store/postgres/statement-watch.ts": {
    "createStatementWatch.entries": ["statement", "gone with its answer, or with its deadline"],
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
  "src/store/sqlite/read-thread.ts": { "openReadThread.waiting": ["nobody: in the order they come", "open calls"] },
  "src/store/sqlite/connection.ts": {
    "statementRunner.prepared": [ourOwn, "statements whose text no caller composes"],
  },
  "src/store/sqlite/sqlite.ts": {
    "openSqlite.diskSpace": ["nobody: whether the disk was full", "one"],
  },
  "src/store/sqlite/group-commit.ts": {
    "createGroupCommit.queue": ["nobody: in the order they come, 256 to a commit", "open calls and runs"],
    "createGroupCommit.committed": ["nobody: in the order of their commit", "open calls and runs"],
  },
  "src/store/sqlite/shared-reads.ts": {
    "createSharedReads.onlyReads": [ourOwn, "statements whose text no caller composes"],
  },
  "src/systems/deployment/steps/deployment-api-call.ts": { made: ["input of one call", "gone with the input"] },
  "src/systems/deployment/protocol/endpoints.ts": { found: ["request", "gone with the request"] },
  "src/systems/pages.ts": {
    "createCollector.items": [oneCall, "100,000 items, 8 MiB"],
    "createCollector.ids": [oneCall, "100,000 items"],
  },
  "src/systems/marketing/central-midnight.ts": { days: [ourOwn, "one"] },
  "src/systems/paths.ts": { last: [sameForAll, "one, of at most 64 KiB"] },
  "src/transport/send-request.ts": {
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
  "src/untrusted/budgets.ts": { "createBudgets.spent": ["organization", "gone once its budget is full again"] },
  "src/untrusted/child.ts": {
    until: ["nobody: the deadline of the one job that this process is at", "two numbers"],
    loaded: [ourOwn, "one for each task"],
    turn: ["nobody: the number of the turn, which is one organization's", "one number"],
    turnSpent: ["turn, which is one organization's", "one number"],
    lastJob: ["turn, which is one organization's", "what the parent sends for one turn"],
  },
  "src/untrusted/compute.ts": {
    "createCompute.helpers": [
      "nobody: an organization has a turn at one, and never all of them",
      "the number of processes",
    ],
    "startAnother.helper": ["nobody: an organization has a turn at it", "one"],
  },
  "src/untrusted/expression-syntax/parts.ts": {
    cached: [sameForAll, "2,000 of at most 4,000 characters, then all are forgotten"],
  },
  "src/untrusted/fair-queue.ts": {
    "createFairQueue.queues": [
      "organization, or a caller's address and region",
      "computing: 2,000 jobs each, for 30 s; passwords: 64 each, 256 in all; gone with the last job",
    ],
  },
  "src/untrusted/tasks/expression.ts": { cached: [sameForAll, "500, then all are forgotten"] },
  "src/untrusted/tasks/schema.ts": { cached: [sameForAll, "100, then all are forgotten"] },
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
  "src/webhooks/dispatcher-capacity.ts": {
    "createDispatcherCapacity.unresponsive": ["webhook", "1,000, the oldest goes"],
  },
  "src/agents/events/refusals.ts": {
    "createRefusals.byAgent": ["agent", "1,000; the one whose last refusal is oldest is forgotten first"],
    "createRefusals.waiting": ["organization", "the last 100 of each, until the next flush, ten seconds later"],
  },
  "src/webhooks/live/live.ts": {
    "createLive.projects": ["project", "gone when its last stream is closed"],
    "createLive.counts": ["person, organization, and all", "gone when the streams are closed; refused beyond 5,000"],
    "open.missed": [oneCall, "emptied when the caller listens, at once after the stream is opened"],
  },
  "src/agents/events/event-queue.ts": { "createEventQueue.busy": ["organization", "gone when its events are started"] },
  "src/webhooks/webhook-room.ts": { "createWebhookRoom.timers": ["no tenant: timers", withTheProcess] },
  "src/agents/run-starter.ts": { "createRunStarter.cache": ["tool", "1,000, then all are forgotten"] },
};

/** A column of the table that says whose a row is, or why no column does. */
type Whose = { column: string } | { nobody: string };

const by = (column: string): Whose => ({ column });

export const keptInTables: Record<string, Whose> = {
  agents: by("organization_id"),
  api_keys: by("user_id"),
  archives: by("organization_id"),
  assistant_grants: by("organization_id"),
  audit_anchors: by("organization_id"),
  audit_heads: by("organization_id"),
  audit_log: by("organization_id"),
  background_leases: { nobody: "which node does a work that one of them does at a time" },
  call_counts: { nobody: "a policy and the hash of a key, an address or a project; each process has a row too" },
  challenges: { nobody: "found by the hash of a text that only one person holds; a sign-up has no account yet" },
  code_generators: by("user_id"),
  connections: by("organization_id"),
  connects: by("organization_id"),
  code_keys: { nobody: "one row: the key that hides the codes of all invites of the region" },
  data_keys: by("organization_id"),
  deliveries: by("webhook_id"),
  directories: by("organization_id"),
  directory_group_members: by("group_id"),
  directory_group_roles: by("group_id"),
  directory_groups: by("directory_id"),
  directory_people: by("directory_id"),
  directory_requests: by("directory_id"),
  directory_tokens: by("directory_id"),
  directory_values: by("directory_id"),
  domains: by("organization_id"),
  event_refusals: by("agent_id"),
  events: by("organization_id"),
  idempotent_answers: by("user_id"),
  identities: by("organization_id"),
  invites: by("project_id"),
  large_outputs: by("run_id"),
  legal_holds: by("organization_id"),
  limit_history: { nobody: "the subject begins with the organization, as in limit_states" },
  limit_states: {
    nobody:
      "the subject begins with the organization; a limit of our own OAuth client has one row, with a part for each",
  },
  limit_uses: by("project_id"),
  limit_waiters: {
    nobody: "the subject begins with the organization, as in limit_states; each process has a row for its pulse",
  },
  mails: { nobody: "one mail to one address; it is sent, and never shown" },
  master_key: { nobody: "one row: which key the operator has set" },
  memberships: by("project_id"),
  organizations: by("id"),
  passkeys: by("user_id"),
  passwords: by("user_id"),
  projects: by("organization_id"),
  recovery_codes: by("user_id"),
  registrations: by("agent_id"),
  retention_policies: by("organization_id"),
  run_remains: by("run_id"),
  run_steps: by("run_id"),
  runs: by("organization_id"),
  saml_assertions: by("provider_id"),
  schedules: by("organization_id"),
  schema_migrations: { nobody: "our own migrations" },
  schema_promises: { nobody: "our own migrations" },
  sessions: by("user_id"),
  sign_in_attempts: { nobody: "the hash of an account and an address; both may be made up" },
  sso_flows: by("provider_id"),
  sso_providers: by("organization_id"),
  store_mark: { nobody: "one row: which store this is, and when it was last restored" },
  tool_names: by("project_id"),
  tool_versions: by("tool_id"),
  tools: by("organization_id"),
  users: by("organization_id"),
  webhooks: by("organization_id"),
  write_intents: {
    nobody:
      "the account at a system and a name there, as a hash: two organizations may use one account, and then neither may take the other's record for its own",
  },
};

const ownId = "a random id of ours";
const hashOfRandom = "the hash of a random text of ours";

/** Unique over all tenants, as `table (columns)`: one that a tenant chooses would tell it what others have. */
export const uniqueForAll: Record<string, string> = {
  "agents (id)": ownId,
  "assistant_grants (code_hash)": hashOfRandom,
  "assistant_grants (id)": ownId,
  "assistant_grants (key_id)": "the id of a key, which belongs to one account",
  "assistant_grants (refresh_before)": hashOfRandom,
  "assistant_grants (refresh_hash)": hashOfRandom,
  "agents (token_hash)": hashOfRandom,
  "api_keys (hash)": hashOfRandom,
  "api_keys (id)": ownId,
  "archives (id)": ownId,
  "audit_anchors (id)": ownId,
  "background_leases (name)": "a name of ours",
  "call_counts (policy, subject)":
    "the subject is a hash: nobody is told of another's, except by a limit that is theirs too",
  "challenges (hash)": hashOfRandom,
  "code_generators (id)": ownId,
  "connections (id)": ownId,
  "connects (id)": ownId,
  "code_keys (id)": "one row",
  "data_keys (id)": ownId,
  "deliveries (id)": ownId,
  "directories (id)": ownId,
  "directory_groups (id)": ownId,
  "directory_people (user_id)": ownId,
  "directory_requests (id)": "a time and random characters of ours",
  "directory_tokens (hash)": hashOfRandom,
  "directory_tokens (id)": ownId,
  "directory_values (owner_id, attribute, element)": "within one person or group of a directory",
  "domains (domain)": "verified domains alone: only a person who has proved that it is theirs is told that it is taken",
  "domains (id)": ownId,
  "event_refusals (id)": "a time and random characters of ours",
  "events (agent_id, repeat_key)": "within an agent",
  "events (id)": ownId,
  "identities (id)": ownId,
  "identities (provider_id, subject)": "within a provider, which is one organization's",
  "invites (code)": "a random code of ours",
  "legal_holds (id)": ownId,
  "limit_history (subject, name, at)": "the subject begins with the organization",
  "limit_states (subject)": "it begins with the organization, or is one of our own OAuth client",
  "limit_waiters (process, subject)": "the subject begins with the organization",
  "mails (id)": ownId,
  "master_key (id)": "one row",
  "passkeys (credential_id)": "random bytes of an authenticator: nobody meets another's who does not know it",
  "passkeys (id)": ownId,
  "projects (id)": ownId,
  "runs (id)": ownId,
  "schedules (id)": ownId,
  "schema_migrations (number)": "our own migrations",
  "schema_promises (number)": "our own migrations",
  "sessions (hash)": hashOfRandom,
  "sessions (id)": ownId,
  "sign_in_attempts (key)": "a hash of an account and an address, which the attempt names",
  "sso_flows (id)": ownId,
  "sso_providers (id)": ownId,
  "store_mark (id)": "one row",
  "tool_names (tool_id)": "the id of a tool, which belongs to one project",
  "tools (id)": ownId,
  "users (id)": ownId,
  "webhooks (id)": ownId,
  "write_intents (subject, intent_id)": "the second is the id of a run",
};
