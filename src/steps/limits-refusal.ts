import { type Demand, StepFailed } from "../systems/define.ts";

/** No place in the time that the call may wait: said with the reason and the time to come back. */
export function refusalOf(demand: Demand, waitMilliseconds: number): StepFailed {
  const waitSeconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  const isQuota = demand.kind === "calendar";
  const again = `It is free again in ${inWords(waitSeconds)} at the earliest, and the call may not wait that long.`;
  return new StepFailed(
    {
      code: isQuota ? "quota_exhausted" : "rate_limited",
      detail: `The ${isQuota ? "quota" : "limit"} "${demand.name}"${measureOf(demand)} is used up. ${again}`,
      cure: "give up",
      waitSeconds,
      done: "no",
    },
    null,
  );
}

function measureOf({ kind, max, windowSeconds, resets }: Demand): string {
  if (max === null) return "";
  const many = max.toLocaleString("en-US");
  if (kind === "window") return `, ${many} in any ${windowSeconds} seconds,`;
  if (kind === "concurrent") return `, ${many} at a time,`;
  if (kind === "calendar") return resets === "hourly" ? `, ${many} an hour,` : `, ${many} a day,`;
  return "";
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3600)} hours`;
}
