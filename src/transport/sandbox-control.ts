import type { SystemId } from "../systems/index.ts";
import { systemIds } from "../systems/index.ts";
import type { Outbound } from "./outbound.ts";
import { sandboxPrincipal } from "./private-hosts.ts";

/** A fault that waits for calls, as the sandbox tells it. */
export interface SandboxFault {
  fault_id: string;
  match: { method?: string; path?: string };
  times: number;
  status?: number;
  delay_ms?: number;
  drop?: "before" | "after";
}

export interface SandboxState {
  system: SystemId;
  url: string;
  /** Its own time; null while it does not answer. */
  now: string | null;
  faults: SandboxFault[];
}

export interface SandboxRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  identity: string | null;
}

/** What a fault does to the calls it meets. */
export interface NewFault {
  match: { method?: string; path?: string };
  times: number;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  delay_ms?: number;
  drop?: "before" | "after";
}

/** The control API of the sandboxes that this server runs itself: these calls and no others. */
export interface SandboxControl {
  states(): Promise<SandboxState[]>;
  /** Newest first. */
  requests(system: SystemId, limit: number): Promise<SandboxRequest[]>;
  advance(system: SystemId, seconds: number): Promise<string>;
  addFault(system: SystemId, fault: NewFault): Promise<SandboxFault>;
  /** False: there is none with this id, or it has met all its calls. */
  removeFault(system: SystemId, faultId: string): Promise<boolean>;
  reset(system: SystemId): Promise<void>;
}

const answerMilliseconds = 5000;

export function createSandboxControl(urls: Record<SystemId, string>, outbound: Outbound): SandboxControl {
  async function call<T>(system: SystemId, method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
    const answer = await outbound.send({
      origin: new URL(urls[system]).origin,
      method,
      target: `/_sandbox/${path}`,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      totalMilliseconds: answerMilliseconds,
      headersMilliseconds: answerMilliseconds,
      principal: sandboxPrincipal,
    });
    if (answer.status !== 200) throw new Error(`The sandbox ${system} returned ${answer.status} for ${path}.`);
    return answer.body as T;
  }

  async function stateOf(system: SystemId): Promise<SandboxState> {
    const url = urls[system];
    try {
      const { now } = await call<{ now: string }>(system, "GET", "clock");
      const { faults } = await call<{ faults: SandboxFault[] }>(system, "GET", "faults");
      return { system, url, now, faults };
    } catch {
      // It has ended, or is busy with a delay: the others are still shown.
      return { system, url, now: null, faults: [] };
    }
  }

  return {
    states: () => Promise.all(systemIds.map(stateOf)),
    async requests(system, limit) {
      const { requests } = await call<{ requests: SandboxRequest[] }>(system, "GET", `requests?last=${limit}`);
      return requests.toReversed();
    },
    advance: async (system, seconds) =>
      (await call<{ now: string }>(system, "POST", "clock", { advance_seconds: seconds })).now,
    addFault: async (system, fault) => (await call<{ fault: SandboxFault }>(system, "POST", "faults", fault)).fault,
    removeFault: async (system, faultId) =>
      (await call<{ removed: boolean }>(system, "POST", "faults/remove", { fault_id: faultId })).removed,
    async reset(system) {
      await call(system, "POST", "reset", {});
    },
  };
}
