import { createLog } from "../../../src/kernel/log.ts";
import { startOwnSandboxes } from "../../../src/start/own-sandboxes.ts";
import { freePorts } from "../../support/command.ts";

export interface Deployed {
  deploymentId: string;
  mark: string;
  /** The marker that Signalbox leaves in what it creates. */
  intent: string;
}

/** The three sandboxes in a process that nobody kills: what they keep is what has really happened. */
export interface Outside {
  /** The first one's address, as SIGNALBOX_SANDBOXES takes it. */
  address: string;
  projectId: string;
  /** Tells the deployment sandbox's control door to do something. */
  control(action: string, body: object): Promise<void>;
  /** How often it was asked for this path. */
  asked(path: string): Promise<number>;
  /** How often one of them was sent such a request. */
  sent(system: "marketing" | "deployment" | "analytics", method: string, path: string): Promise<number>;
  /** The next creations are slow, one of them very, cut off before anything happens, or cut off after it has. */
  disturbCreating(slowMilliseconds: number): Promise<void>;
  /** Every deployment that carries a mark. */
  deployed(): Promise<Deployed[]>;
  stop(): Promise<void>;
}

const creating = { method: "POST", path: "/v13/deployments" };
const slowTimes = 12;
/** Whoever is killed meanwhile looks for it before it is there. */
const verySlowMilliseconds = 8_000;

export async function startOutside(): Promise<Outside> {
  const port = await freePorts(3);
  const sandboxes = await startOwnSandboxes(port, createLog("error", process.stderr));
  const { deployment } = sandboxes.urls;
  const door = (await (await fetch(`${deployment}/_sandbox`)).json()) as DoorFacts;
  const control = async (action: string, body: object) => {
    const answer = await fetch(`${deployment}/_sandbox/${action}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`The control door refused: ${await answer.text()}`);
  };
  await control("limits", liftedLimits(door.limits));
  return {
    address: sandboxes.urls.marketing,
    projectId: door.ids.project_id ?? "",
    control,
    async asked(path) {
      const { requests } = (await (await fetch(`${deployment}/_sandbox/requests`)).json()) as Requests;
      return requests.filter((request) => request.path.startsWith(path)).length;
    },
    async sent(system, method, path) {
      const { requests } = (await (await fetch(`${sandboxes.urls[system]}/_sandbox/requests`)).json()) as Requests;
      return requests.filter((request) => request.method === method && request.path.startsWith(path)).length;
    },
    async disturbCreating(delay_ms) {
      await control("faults", { match: creating, times: slowTimes, delay_ms });
      await control("faults", { match: creating, delay_ms: verySlowMilliseconds });
      await control("faults", { match: creating, drop: "before" });
      await control("faults", { match: creating, drop: "after" });
    },
    deployed: () => listDeployed(deployment, door),
    stop: sandboxes.stop,
  };
}

/** No rate is ever used up, and builds are over at once. */
function liftedLimits(limits: Record<string, number>): Record<string, number> {
  const lifted: Record<string, number> = { concurrent_builds: 1e6 };
  for (const name of Object.keys(limits)) {
    if (/_per_(minute|hour|day|10_minutes)$/.test(name)) lifted[name] = 1e9;
    if (/^(queued|initializing|building|alias)_seconds$/.test(name)) lifted[name] = 0;
  }
  return lifted;
}

async function listDeployed(url: string, door: DoorFacts): Promise<Deployed[]> {
  const found: Deployed[] = [];
  let until: number | null = null;
  do {
    const query = new URLSearchParams({
      projectId: door.ids.project_id ?? "",
      teamId: door.ids.team_id ?? "",
      limit: "100",
      ...(until !== null && { until: String(until) }),
    });
    const headers = { authorization: `Bearer ${door.credentials.token}` };
    const page = (await (await fetch(`${url}/v6/deployments?${query}`, { headers })).json()) as Page;
    for (const { uid, meta } of page.deployments) {
      if (meta.mark) found.push({ deploymentId: uid, mark: meta.mark, intent: meta.signalboxIntent ?? "" });
    }
    until = page.pagination.next;
  } while (until !== null);
  return found;
}

interface DoorFacts {
  ids: Record<string, string>;
  credentials: Record<string, string>;
  limits: Record<string, number>;
}

interface Requests {
  requests: { method: string; path: string }[];
}

interface Page {
  deployments: { uid: string; meta: Record<string, string> }[];
  pagination: { next: number | null };
}
