import type { Region as RegionName } from "../../../src/kernel/regions.ts";
import { insertPlannedRun } from "../../../src/runs/queue/queue.ts";
import { newRun, type RunStart } from "../../../src/runs/queue/start-run.ts";
import { startDue } from "../../../src/schedules/start-due.ts";
import type { Db, Store } from "../../../src/store/db.ts";
import { createNode, type Node, pollMs, type Run } from "./node.ts";
import { type Organization, workOf } from "./tenants.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface RegionParts {
  name: RegionName;
  store: Store;
  time: VirtualTime;
  randomOf: (name: string) => () => number;
  organizations: readonly Organization[];
  /** Each thing that happens, for the trace. */
  note(what: string): void;
}

/** A notification of the database reaches the other nodes after a while. */
const notifyMs = 5;

/** The nodes of one region, and the runs that it has seen. */
export function createRegion({ name, store, time, randomOf, organizations, note }: RegionParts) {
  const runs = new Map<string, Run>();
  const byId = new Map(organizations.map((each) => [each.id, each]));
  const lastDue = new Map<Organization, number>();
  const startedAt = time.now();
  let nodes: Node[] = [];
  let [started, overruns, doubled] = [0, 0, 0];

  const scheduleParts: Parameters<typeof startDue>[0] = {
    ...{ store, region: name, now: () => new Date(time.now()), queueRun, wake },
    // Params of the model are checked in the process: nothing is computed elsewhere.
    compute: {
      run: () => Promise.reject(new Error("The model computes nothing.")),
      answerTime: { hasLeft: () => true, spend: () => {}, secondsUntilLeft: () => 0 },
      close: async () => {},
    },
    log: { warn: (problem: unknown) => note(`schedules failed ${JSON.stringify(problem)}`) } as never,
  };

  /** The ids of the product are partly random; these repeat, and are in the order of time like them. */
  async function queueRun(db: Db, start: RunStart): Promise<string> {
    const organization = byId.get(start.organizationId) as Organization;
    const id = `run_${name}_${String(runs.size).padStart(8, "0")}`;
    const dueAt = start.source.kind === "schedule" ? nextDue(organization) : start.now.getTime();
    const { callsPerRun: callsLeft } = organization;
    runs.set(id, {
      id,
      organization,
      dueAt,
      takenAt: null,
      callsLeft,
      tries: 0,
      failures: 0,
      workers: 0,
      doneAt: null,
    });
    await insertPlannedRun(db, { ...newRun(start), id });
    return id;
  }

  /** When this run of the schedule should have started. */
  function nextDue(organization: Organization): number {
    const every = organization.everyMinutes * 60_000;
    const last = lastDue.get(organization) ?? startedAt;
    const at = (Math.floor(last / every) + 1) * every;
    lastDue.set(organization, at);
    return at;
  }

  let isWaking = false;
  /** A notification wakes all nodes. */
  function wake(): void {
    if (isWaking) return;
    isWaking = true;
    time.after(notifyMs, () => {
      isWaking = false;
      again = true;
      if (!isClaiming) void claimAll();
    });
  }

  let [isClaiming, again, turn] = [false, false, 0];
  /**
   * Nodes claim one after another, each as much as one claim takes, until one of them finds the queue empty, or all are full. All others would find the
   * same at this moment, so they are not asked: of a thousand nodes that wake for one run, one gets it.
   */
  async function claimAll(): Promise<void> {
    isClaiming = true;
    while (again) {
      again = false;
      for (let full = 0; full < nodes.length; full++) {
        const { count, isQueueEmpty, next } = await (nodes[turn++ % nodes.length] as Node).claim();
        if (count > 0) full = -1;
        if (next !== null) wakeAt(next);
        if (isQueueEmpty) break;
      }
    }
    isClaiming = false;
  }

  let cancelTimer = (): void => {};
  function wakeAt(at: number): void {
    cancelTimer();
    if (at - time.now() <= pollMs) cancelTimer = time.after(Math.max(5, at - time.now()), wake);
  }

  function startNodes(count: number): void {
    for (let each = 0; each < count; each++) {
      const id = `${name}${started++}`;
      const counted = {
        ...{ overrun: () => overruns++, doubled: () => doubled++ },
        ...{ runOf: (runId: string) => runs.get(runId) as Run, note },
      };
      const own = { name: id, store, time, random: randomOf(id), nodes: () => nodes.length };
      nodes.push(createNode({ ...own, ...counted, startDue: () => startDue(scheduleParts), wake }));
    }
    note(`${name} starts ${count} nodes`);
  }

  /** All at once. */
  function loseNodes(): void {
    for (const node of nodes) node.die();
    nodes = [];
    note(`${name} is lost`);
  }

  /** Many runs of one organization at one moment. */
  async function flood(organization: Organization, count: number): Promise<void> {
    const { id: organizationId, projectId, userId: startedBy } = organization;
    const start: RunStart = {
      ...{ region: name, organizationId, projectId, startedBy, keyId: null, params: {}, now: new Date(time.now()) },
      ...{ work: workOf(organization), source: { kind: "call" } },
    };
    await store.transaction(async (db) => {
      for (let each = 0; each < count; each++) await queueRun(db, start);
    });
    wake();
  }

  return {
    startNodes,
    loseNodes,
    flood,
    runs: () => [...runs.values()],
    overruns: () => overruns,
    doubled: () => doubled,
  };
}

export type Region = ReturnType<typeof createRegion>;
