import { createEventRoom } from "../../agents/events/event-room.ts";
import { createAgentWorker } from "../../agents/loop/loop.ts";
import { createModels } from "../../agents/models/providers.ts";
import { queueRun } from "../../runs/queue/start-run.ts";
import { createWorker } from "../../runs/worker/worker.ts";
import { createScheduleClock } from "../../schedules/start-due.ts";
import { noSignals, type Signal } from "../../store/signals.ts";
import { createWebhookRoom } from "../../webhooks/webhook-room.ts";
import { announceRuns } from "./announce-to-webhooks.ts";
import type { RegionAccounts } from "./open-accounts.ts";
import type { RegionBase } from "./open-base.ts";
import { openSignals } from "./open-database.ts";

export type RegionWork = Awaited<ReturnType<typeof openWork>>;

/** What works in a region without being called: runs, schedules, agents' events, webhooks. */
export async function openWork(base: RegionBase, { vault, limits }: RegionAccounts) {
  const { config, region, store, baseUrl, inviteCodes, outbounds, compute, log, now, meter } = base;
  const { keys } = vault;
  const models = createModels(config.models, outbounds.models);
  const wakeRuns = () => wake("runs");
  const events = createEventRoom({ store, region, keys, compute, baseUrl, models, vault, wakeRuns, log, now, meter });
  const webhooks = createWebhookRoom({
    store,
    keys,
    inviteCodes,
    outbound: outbounds.webhooks,
    privateOrigins: config.privateHosts.webhooks,
    log,
    now,
    meter,
  });
  const steps = {
    store,
    vault,
    limits,
    outbound: outbounds.steps,
    now,
    sleep,
    random: Math.random,
    memory: base.runMemory,
    answerTime: compute.answerTime,
    restoredAt: base.restoredAt,
    meter,
    ...(config.settleSeconds !== null && { settleSeconds: config.settleSeconds }),
  };
  const isApi = config.role === "api";
  const wakeHere: Record<Signal, () => void> = {
    runs: () => worker.wake(),
    deliveries: webhooks.deliveries.wake,
    events: events.queued.wake,
  };
  const signals = await signalsOf(base, isApi ? null : (signal) => wakeHere[signal]?.());
  /** Wakes who does such work: this process, or the workers among the nodes. */
  const wake = (signal: Signal): void => (isApi ? signals.send(signal) : wakeHere[signal]());
  const worker = createWorker({
    ports: {
      ...steps,
      agents: createAgentWorker(models),
      compute,
      leaseSeconds: config.leaseSeconds,
      onLeft: announceRuns(() => wake("deliveries"), now),
    },
    log,
    takesRuns: !isApi,
    onQueued: () => signals.send("runs"),
  });
  const schedules = createScheduleClock({ store, region, compute, now, queueRun, wake: worker.wake, log });
  return { events, webhooks, steps, signals, wake, worker, schedules };
}

const signalsOf = async ({ config, region, store, log }: RegionBase, heard: ((signal: Signal) => void) | null) => {
  const url = config.databaseUrls[region]?.reveal();
  return url === undefined ? noSignals : openSignals({ url, db: store, heard, log });
};

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
