import type { Demand, ReportedLimit, System } from "../../../src/systems/define.ts";
import { systems } from "../../../src/systems/index.ts";
import type { StepRequest } from "../../../src/systems/work.ts";
import type { VirtualTime } from "./virtual-time.ts";

const requests: Record<string, Pick<StepRequest, "method" | "path"> & Partial<StepRequest>> = {
  marketing: { method: "GET", path: "/rest/v1/leads.json", query: { filterType: "id", filterValues: "1" } },
  deployment: { method: "GET", path: "/v6/deployments" },
  analytics: {
    method: "POST",
    path: "/v1beta/properties/1:runReport",
    api: "data",
    body: { dateRanges: [{ startDate: "7daysAgo", endDate: "today" }], metrics: [{ name: "sessions" }] },
  },
};

/** What the deployment platform allows one account in a minute, and reports with every answer. */
const deploymentMax = 120;

/** So many calls fail: the system answers with an error of its own, or closes the connection before it has answered. */
const [failedPart, cutOffPart] = [0.005, 0.005];

/** How long a system works on a call, at least and at most. */
const atWork = { usual: [50, 450], analytics: [800, 4000] } as const;

/** What became of a call. It is refused if it exceeds a limit. */
export type CallOutcome =
  | { kind: "answered" | "failed"; reports: readonly ReportedLimit[] }
  | { kind: "refused" | "cut off" };

/** One organization's account at an external system, which counts strictly: when a call arrives, and how many it works on. */
export interface Account {
  system: string;
  demands: readonly Demand[];
  call(): Promise<CallOutcome>;
  /** Calls that failed, for whatever reason but a limit. */
  faults(): number;
  /** How much of its tightest limit was used since the beginning: of the calls of its windows, or of the time of its slots. 1 is all. */
  used(): number;
}

export function createAccount(organization: number, time: VirtualTime, random: () => number): Account {
  const system = systems[organization % systems.length] as System;
  // The limits depend on these members alone.
  const request = requests[system.id] as StepRequest;
  const origin = `https://${system.id}-${organization}.example`;
  const identity = { label: `account ${organization}` };
  const demands = system.demands(request, origin, { settings: {}, identity } as Parameters<System["demands"]>[2]);
  const window = demands.find((demand) => demand.kind === "window");
  const windowMilliseconds = (window?.windowSeconds ?? 0) * 1000;
  const concurrent = demands.find((demand) => demand.kind === "concurrent");
  const recent: number[] = [];
  const startedAt = time.now();
  const [workMin, workMax] = atWork[system.id === "analytics" ? "analytics" : "usual"];
  let [working, accepted, faults, minute, inMinute] = [0, 0, 0, 0, 0];
  /** Slots that callers hold, from sending to the answer, and how long all were held together. */
  let [held, heldMilliseconds, heldUntil] = [0, 0, startedAt];

  function accept(): readonly ReportedLimit[] | null {
    const now = time.now();
    if (window) {
      while (recent.length > 0 && (recent[0] as number) <= now - windowMilliseconds) recent.shift();
      if (recent.length >= (window.max ?? 0)) return null;
      recent.push(now);
    }
    if (concurrent && working >= (concurrent.max ?? 0)) return null;
    if (system.id !== "deployment") return [];
    if (Math.floor(now / 60_000) !== minute) [minute, inMinute] = [Math.floor(now / 60_000), 0];
    if (inMinute >= deploymentMax) return null;
    inMinute++;
    const { subject, name } = demands[0] as Demand;
    const resetsAt = new Date((minute + 1) * 60_000);
    return [{ subject, name, remaining: deploymentMax - inMinute, max: deploymentMax, resetsAt }];
  }

  function hold(change: 1 | -1): void {
    heldMilliseconds += held * (time.now() - heldUntil);
    heldUntil = time.now();
    held += change;
  }

  function used(): number {
    const milliseconds = time.now() - startedAt;
    if (window) return accepted / ((window.max ?? 0) * (milliseconds / windowMilliseconds));
    if (concurrent) {
      const now = heldMilliseconds + held * (time.now() - heldUntil);
      return now / ((concurrent.max ?? 0) * milliseconds);
    }
    const minutes = Math.floor(time.now() / 60_000) - Math.floor(startedAt / 60_000) + 1;
    return accepted / (deploymentMax * minutes);
  }

  const call = (): Promise<CallOutcome> =>
    new Promise((resolve) => {
      const end = (outcome: CallOutcome): void => {
        hold(-1);
        resolve(outcome);
      };
      hold(1);
      time.after(5 + random() * 40, () => {
        const reports = accept();
        if (reports === null) return void time.after(5, () => end({ kind: "refused" }));
        accepted++;
        working++;
        const dice = random();
        time.after(workMin + random() * (workMax - workMin), () => {
          working--;
          if (dice < failedPart + cutOffPart) faults++;
          const outcome: CallOutcome =
            dice < cutOffPart
              ? { kind: "cut off" }
              : { kind: dice < failedPart + cutOffPart ? "failed" : "answered", reports };
          time.after(5 + random() * 40, () => end(outcome));
        });
      });
    });

  return { system: system.id, demands, call, faults: () => faults, used };
}
