import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { storeLargeParams } from "../../runs/queue/start-run.ts";
import type { Db, Store } from "../../store/db.ts";
import { storeLargeText } from "../../store/large-texts.ts";
import type { Compute } from "../../untrusted/compute.ts";
import { type Agent, isPaused, lockAgent } from "../agents.ts";
import { type Plan, planRuns, startPlanned } from "../event-rules.ts";
import type { RunStarter } from "../run-starter.ts";
import {
  type AgentEvent,
  claimQueued,
  countQueued,
  type EventSignature,
  failQueued,
  findEvent,
  findRepeated,
  ignoreQueued,
  insertEvent,
  lockEvent,
  releaseKey,
  updateHandled,
} from "./events.store.ts";
import type { ReadEvent } from "./read-event.ts";
import { deleteOldRefusals } from "./refused-events.store.ts";

export {
  type AgentEvent,
  countQueued,
  type EventSignature,
  type EventStatus,
  listEvents,
  listOrganizationsToStart,
  listStartable,
  readBody,
} from "./events.store.ts";

export interface EventPorts {
  store: Store;
  region: Region;
  tools: RunStarter;
  compute: Compute;
  now: () => Date;
}

/** "Up to 1,000 events queued while paused, none lost": the sender of the next one is asked to retry. */
export const queuedMax = 1_000;
const fullRetrySeconds = 300;
const day = 86_400_000;
/** "Ids kept 7 days to drop replays." */
export const repeatMilliseconds = 7 * day;
const refusalsKeptMilliseconds = 30 * day;

/** The transaction in which an event is stored. */
export type StoreEventIn = (store: (db: Db) => Promise<AgentEvent>) => Promise<AgentEvent>;

/**
 * Stores an event and starts its runs, in one transaction: a sender that gets a response can rely on both. A repeat
 * returns the first event.
 */
export async function acceptEvent(
  agent: Agent,
  { text, read, signature }: { text: string; read: ReadEvent; signature: EventSignature },
  ports: EventPorts,
  storeIn: StoreEventIn = (work) => ports.store.transaction(work),
): Promise<AgentEvent> {
  const { store, tools, now, region } = ports;
  const earlier = await findRecent(store, agent.id, read.repeatKey, now());
  if (earlier) return earlier;
  const plan = await planAndStoreParams(agent, read, ports);
  const at = now();
  const event: AgentEvent = {
    id: newId("event", region),
    organizationId: agent.organizationId,
    projectId: agent.projectId,
    agentId: agent.id,
    repeatKey: read.repeatKey,
    type: read.type,
    systemType: read.systemType,
    body: await storeLargeText(store, text, at),
    signature,
    status: "queued",
    runIds: [],
    problem: null,
    createdAt: at.toISOString(),
    handledAt: null,
  };
  const stored = await storeIn((db) => insertOnce(db, { agent, event, plan, at }, ports));
  if (stored.runIds.length > 0) tools.wake();
  return stored;
}

/** Plans what an event starts, and stores large params before the transaction of their runs. */
async function planAndStoreParams(agent: Agent, read: ReadEvent, ports: EventPorts): Promise<Plan> {
  const plan = await planRuns(agent, read, ports);
  for (const { params } of [...plan.runs, ...(plan.agent ? [plan.agent] : [])]) {
    await storeLargeParams(ports.store, params, ports.now());
  }
  return plan;
}

/** An event, what it starts, and when it arrived. */
interface PlannedEvent {
  agent: Agent;
  event: AgentEvent;
  plan: Plan;
  at: Date;
}

async function insertOnce(db: Db, planned: PlannedEvent, ports: EventPorts): Promise<AgentEvent> {
  const { agent, event, at } = planned;
  if (!(await insertEvent(db, event))) {
    const earlier = await findRecent(db, agent.id, event.repeatKey ?? "", at);
    if (earlier) return earlier;
    const old = await findRepeated(db, agent.id, event.repeatKey ?? "");
    if (old) await releaseKey(db, old.id);
    if (!(await insertEvent(db, event))) throw new Error(`The event ${event.id} can be neither stored nor found.`);
  }
  const paused = await isPaused(db, agent.id);
  if (paused === null) throw new Problem("agent_not_found");
  const locked = paused ? await lockAgent(db, agent.id) : null;
  if (paused && !locked) throw new Problem("agent_not_found");
  if (locked?.paused) {
    if ((await countQueued(db, agent.id)) > queuedMax) throw queueFull();
    return event;
  }
  return startRuns(db, planned, ports);
}

const queueFull = (): Problem =>
  new Problem("event_queue_full", undefined, { headers: { "retry-after": String(fullRetrySeconds) } });

async function findRecent(db: Db, agentId: string, repeatKey: string, now: Date): Promise<AgentEvent | null> {
  const found = await findRepeated(db, agentId, repeatKey);
  const since = new Date(now.getTime() - repeatMilliseconds).toISOString();
  return found && found.createdAt >= since ? found : null;
}

/** Starts the runs and records the result. */
async function startRuns(
  db: Db,
  { agent, event, plan, at }: PlannedEvent,
  { tools, region }: EventPorts,
): Promise<AgentEvent> {
  const started = await startPlanned(db, agent, plan, { eventId: event.id, region, now: at }, tools);
  const handled: AgentEvent = {
    ...event,
    status: started.length > 0 || event.runIds.length > 0 ? "started" : plan.problems.length > 0 ? "failed" : "ignored",
    runIds: [...event.runIds, ...started],
    problem: plan.problems.length > 0 ? plan.problems.join(" ").slice(0, 2000) : null,
    handledAt: at.toISOString(),
  };
  await updateHandled(db, handled);
  return handled;
}

/** A queued event and its agent. */
export interface QueuedEvent {
  agent: Agent;
  event: AgentEvent;
  read: ReadEvent;
}

/**
 * Starts queued events in their order and in one transaction, so that their runs are queued in that order, too. Returns
 * how many. Each event is started once, by the first node that claims it.
 */
export async function startQueued(queued: readonly QueuedEvent[], ports: EventPorts): Promise<number> {
  const planned = await Promise.all(
    queued.map(async ({ agent, event, read }) => {
      const plan = await planAndStoreParams(agent, read, ports);
      return { agent, event, plan };
    }),
  );
  return ports.store.transaction(async (db) => {
    let started = 0;
    for (const { agent, event, plan } of planned) {
      if (!(await claimQueued(db, event.id))) continue;
      await startRuns(db, { agent, event, plan, at: ports.now() }, ports);
      started++;
    }
    return started;
  });
}

/**
 * Plans what `replayEvent` starts, by the current rules. The returned function starts it in the transaction of the
 * change.
 */
export async function planReplay(
  agent: Agent,
  read: ReadEvent,
  ports: EventPorts,
): Promise<(db: Db, eventId: string) => Promise<AgentEvent>> {
  const plan = await planAndStoreParams(agent, read, ports);
  return async (db, eventId) => {
    const event = await lockEvent(db, agent.projectId, eventId);
    if (!event) throw new Problem("event_not_found");
    return startRuns(db, { agent, event, plan, at: ports.now() }, ports);
  };
}

export async function requireEvent(db: Db, projectId: string, id: string): Promise<AgentEvent> {
  const event = await findEvent(db, projectId, id);
  if (!event) throw new Problem("event_not_found");
  return event;
}

export const ignoreQueuedEvents = (db: Db, agentId: string, now: Date): Promise<void> =>
  ignoreQueued(db, agentId, "The agent was deleted before it was resumed.", now.toISOString());

const maybeStarted =
  "The store was restored from a backup. It is not known whether this event started its runs afterwards. Replay it if it did not.";

/** After a restore from a backup, queued events may have started their runs in the store that was replaced. */
export const setQueuedEventsAside = (db: Db, restoredAt: Date): Promise<number> =>
  failQueued(db, restoredAt.toISOString(), maybeStarted);

export const forgetOldRefusals = (db: Db, now: Date): Promise<void> =>
  deleteOldRefusals(db, new Date(now.getTime() - refusalsKeptMilliseconds).toISOString());
