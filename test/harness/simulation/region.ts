import { createLimits, type Limits } from "../../../src/limits/limits.ts";
import { createWorkerCapacity, type WorkerCapacity } from "../../../src/runs/queue/worker-capacity.ts";
import { type Misfire, nextTimes, type Timing, timesToStart } from "../../../src/schedules/times.ts";
import type { Store } from "../../../src/store/db.ts";
import { StepFailed } from "../../../src/systems/work.ts";
import type { Account } from "./vendor.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A node of a region: the limiter and the capacity of the product, in one process of the model. */
interface Node {
  name: string;
  limits: Limits;
  capacity: WorkerCapacity;
  isAlive: boolean;
}

export interface Organization {
  id: string;
  account: Account;
  timing: Timing;
  misfire: Misfire;
  callsPerRun: number;
  isGreedy: boolean;
}

/** One run: due at a time, done after its last call. */
export interface Run {
  organization: Organization;
  dueAt: number;
  callsLeft: number;
  doneAt: number | null;
}

export interface RegionParts {
  name: string;
  store: Store;
  time: VirtualTime;
  randomOf: (name: string) => () => number;
  organizations: readonly Organization[];
  /** Each thing that happens, for the trace. */
  note(what: string): void;
}

const runsOfNode = 16;
/** A dead node's runs are due again when its lease ends. */
const leaseMilliseconds = 30_000;
/** How long a call waits for a limit before its run goes back to the queue. */
const waitMilliseconds = 20_000;
const startDueMilliseconds = 1_000;

/** The nodes, the queue and the schedules of one region. */
export function createRegion({ name, store, time, randomOf, organizations, note }: RegionParts) {
  const runs: Run[] = [];
  const random = randomOf(name);
  const nextDue = new Map(
    organizations.map((each) => [each, nextTimes(each.timing, new Date(time.now()), 1)[0] as Date]),
  );
  /** Waiting runs, oldest first. */
  const queue = new Map<Organization, Run[]>();
  let nodes: Node[] = [];
  let started = 0;
  let refusedBySystem = 0;

  function startNodes(count: number): void {
    nodes = Array.from({ length: count }, () => {
      const node: Node = {
        name: `${name}${started++}`,
        capacity: createWorkerCapacity(runsOfNode),
        isAlive: true,
        limits: null as unknown as Limits,
      };
      const clock = time.clockOf(() => node.isAlive, randomOf(node.name));
      node.limits = createLimits({ store, clock, time: "own", process: node.name });
      return node;
    });
    note(`${name} starts ${count} nodes`);
    startDue();
  }

  /** All at once, without a word to anybody. */
  function loseNodes(): void {
    for (const node of nodes) node.isAlive = false;
    nodes = [];
    note(`${name} is lost`);
  }

  function startDue(): void {
    if (nodes.length === 0) return;
    const now = new Date(time.now());
    for (const organization of organizations) {
      const dueAt = nextDue.get(organization) as Date;
      if (dueAt > now) continue;
      for (const at of timesToStart(organization.timing, organization.misfire, dueAt, now))
        enqueue(organization, at.getTime());
      nextDue.set(organization, nextTimes(organization.timing, now, 1)[0] as Date);
    }
    claim(nodes);
  }

  function enqueue(organization: Organization, dueAt: number): void {
    const run: Run = { organization, dueAt, callsLeft: organization.callsPerRun, doneAt: null };
    runs.push(run);
    put(run);
  }

  function put(run: Run): void {
    const waiting = queue.get(run.organization);
    if (waiting) waiting.push(run);
    else queue.set(run.organization, [run]);
  }

  /** These nodes take what they have room for, oldest first. They begin with one by chance. */
  function claim(by: readonly Node[]): void {
    let index = Math.floor(random() * by.length);
    for (const [organization, waiting] of queue) {
      for (let full = 0; full < by.length && waiting.length > 0; index++) {
        const node = by[index % by.length] as Node;
        const hasRoom = node.isAlive && node.capacity.free() > 0 && node.capacity.hasRoom(organization.id);
        full = hasRoom ? 0 : full + 1;
        if (hasRoom) void work(node, waiting.shift() as Run);
      }
      if (waiting.length === 0) queue.delete(organization);
    }
  }

  function requeue(run: Run, milliseconds: number): void {
    time.after(milliseconds, () => {
      put(run);
      claim(nodes);
    });
  }

  async function work(node: Node, run: Run): Promise<void> {
    const leave = node.capacity.take(run.organization.id, true);
    const { organization } = run;
    note(`${node.name} claims ${organization.id} ${run.dueAt}`);
    try {
      while (run.callsLeft > 0) {
        const isDone = await callOnce(node, run);
        if (!node.isAlive) return requeue(run, leaseMilliseconds);
        if (isDone !== true) return requeue(run, isDone);
        run.callsLeft--;
      }
      run.doneAt = time.now();
      note(`${node.name} ends ${organization.id} ${run.dueAt}`);
    } finally {
      leave();
      if (node.isAlive) claim([node]);
    }
  }

  /** True, or after how many milliseconds to try again. */
  async function callOnce(node: Node, { organization, dueAt }: Run): Promise<true | number> {
    const { id, account } = organization;
    const caller = {
      id: `${id}.${dueAt}`,
      organizationId: id,
      projectId: id,
      connectionId: id,
      runId: `${id}.${dueAt}`,
    };
    try {
      const waitUntil = new Date(time.now() + waitMilliseconds);
      const permit = await node.limits.admit(account.demands, caller, waitUntil, { willRetry: true });
      if (!node.isAlive) return 0;
      const reports = await account.call();
      if (!node.isAlive) return 0;
      if (reports === null) refusedBySystem++;
      await permit.settle(reports ?? [], "arrived");
      return reports === null ? 1_000 : true;
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return (error.failure.waitSeconds ?? 1) * 1000;
    }
  }

  function tick(): void {
    startDue();
    time.after(startDueMilliseconds, tick);
  }
  time.after(0, tick);

  return {
    startNodes,
    loseNodes,
    /** Many runs of one organization at one moment. */
    flood: (organization: Organization, count: number) => {
      for (let each = 0; each < count; each++) enqueue(organization, time.now());
      claim(nodes);
    },
    runs: runs as readonly Run[],
    refusedBySystem: () => refusedBySystem,
    async close() {
      for (const node of nodes) await node.limits.close();
    },
  };
}

export type Region = ReturnType<typeof createRegion>;
