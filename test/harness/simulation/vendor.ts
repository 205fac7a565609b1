import type { Demand, ReportedLimit, System } from "../../../src/systems/define.ts";
import { systems } from "../../../src/systems/index.ts";
import type { StepRequest } from "../../../src/systems/work.ts";
import type { VirtualTime } from "./virtual-time.ts";

const requests: Record<string, Pick<StepRequest, "method" | "path" | "query" | "body">> = {
  marketing: { method: "GET", path: "/rest/v1/leads.json", query: { filterType: "id", filterValues: "1" } },
  deployment: { method: "GET", path: "/v6/deployments" },
  analytics: {
    method: "POST",
    path: "/v1beta/properties/1:runReport",
    body: { dateRanges: [{ startDate: "7daysAgo", endDate: "today" }], metrics: [{ name: "sessions" }] },
  },
};

/** What the deployment platform allows one account in a minute, and reports with every answer. */
const deploymentMax = 120;

/** One organization's account at an external system, which counts strictly: when a call arrives, and how many it works on. */
export interface Account {
  demands: readonly Demand[];
  /** Resolves with the reports of the answer, or with null for a call that the system refuses because of a limit. */
  call(): Promise<readonly ReportedLimit[] | null>;
  arrived(): number;
  /** The most calls that its window allows in this time; null if no window limits it. */
  allowed(milliseconds: number): number | null;
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
  let [working, arrived, minute, inMinute] = [0, 0, 0, 0];

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

  return {
    demands,
    call: () =>
      new Promise((resolve) => {
        time.after(5 + random() * 40, () => {
          const reports = accept();
          arrived++;
          if (reports === null) return void time.after(5, () => resolve(null));
          working++;
          time.after(50 + random() * 400, () => {
            working--;
            time.after(5 + random() * 40, () => resolve(reports));
          });
        });
      }),
    arrived: () => arrived,
    allowed: (milliseconds) => (window ? (window.max ?? 0) * (milliseconds / windowMilliseconds) : null),
  };
}
