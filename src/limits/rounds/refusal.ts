import { StepFailed } from "../../systems/work.ts";
import type { KeyedDemand } from "../state/row-keys.ts";

/** The call cannot be admitted in the time that it may wait: the refusal names the limit and the time to retry. */
export function refusalOf(demand: KeyedDemand, waitMilliseconds: number, isPaused = false): StepFailed {
  const waitSeconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  const isQuota = demand.kind === "calendar";
  const again = `It has capacity again in ${inWords(waitSeconds)} at the earliest, and the call may not wait that long.`;
  const { systemCode, advice } = demand;
  const who = systemCode === undefined ? "" : ` ${isPaused ? saidBySystem(systemCode) : keptHere(systemCode)}`;
  return new StepFailed(
    {
      code: isQuota ? "quota_exhausted" : "rate_limited",
      detail: `${whatOf(demand)} "${demand.partOf ?? demand.name}"${measureOf(demand)} is used up. ${again}${who}`,
      cure: "give up",
      waitSeconds,
      done: "no",
      ...(systemCode === undefined ? {} : { systemCode, fault: "limit kept here" }),
      ...(isQuota && !isPaused && advice !== undefined ? { remedy: `Call again after \`retry_at\`. ${advice}` } : {}),
    },
    null,
  );
}

/** "The message says which of the two it was." */
const saidBySystem = (code: string): string =>
  `The system itself refused an earlier call with ${code}; nothing more was sent.`;
const keptHere = (code: string): string =>
  `Signalbox kept the limit by its own count and sent nothing; the system would have returned ${code}.`;

function whatOf({ kind, partOf }: KeyedDemand): string {
  if (partOf !== undefined) return "The organization's share of the limit";
  return kind === "calendar" ? "The quota" : "The limit";
}

/** The size of a share depends on other organizations, so it is not shown. */
function measureOf({ kind, max, windowSeconds, resets, partOf, isAssumed }: KeyedDemand): string {
  if (partOf !== undefined || isAssumed) return "";
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
