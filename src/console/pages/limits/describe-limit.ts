import type { RecordOf } from "../../../client/wire.ts";

/** A limit as the API returns it, and how its parts read on screen. */

export type Limit = RecordOf<"/latest/limits/list">;
export type History = RecordOf<"/latest/limits/history">;

export const keyOf = ({ connection_id, subject, name }: Pick<Limit, "connection_id" | "subject" | "name">): string =>
  `${connection_id}\n${subject}\n${name}`;

const names: Record<string, string> = {
  burst: "Calls in a short time",
  concurrent: "Calls at once",
  daily: "Calls a day",
};

export const titleOf = ({ name }: Pick<Limit, "name">): string =>
  names[name] ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** What it belongs to within the account, such as a property. Bare ids of the account itself say nothing to a person. */
export const belongsTo = ({ subject }: Limit): string =>
  subject
    .split("|")
    .slice(2)
    .filter((part) => part.includes("/"))
    .join(" · ");

/** How it refills. */
export function windowOf({ kind, window_seconds: seconds, resets_at }: Limit): string {
  if (kind === "window") return `In any ${seconds === 60 ? "minute" : `${seconds} seconds`}`;
  if (kind === "concurrent") return "At the same time";
  if (kind === "calendar") return resets_at ? `Resets at ${at(resets_at)}` : "Resets at a fixed time";
  return "As the system reports it";
}

const closeShare = 0.8;

export type Standing = "used up" | "close" | "waited for" | "free";

export function standingOf({ max, used, left, waiting, waiting_others }: Limit): Standing {
  if (left === 0) return "used up";
  if (waiting.length + waiting_others > 0) return "waited for";
  return max !== null && max > 0 && used / max >= closeShare ? "close" : "free";
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** A time of day, with the day where it is not today. */
export function at(moment: string, now = new Date()): string {
  const date = new Date(moment);
  return (date.toDateString() === now.toDateString() ? clock : dayAndClock).format(date);
}

export const number = new Intl.NumberFormat();

/** A forecast needs two measures. */
const knownStepsMin = 2;

/** What will become of the limit, in plain words. */
export function forecastOf(limit: Limit, history: History | undefined): string {
  const { kind, left, max, resets_at } = limit;
  if (left === 0) {
    return resets_at ? `Used up. Calls wait until ${at(resets_at)}.` : "Used up. Calls wait until another one ends.";
  }
  if (max === null) return "The system has not said yet how much it allows.";
  if (history === undefined) return "";
  if (history.exhausted_at) {
    const until = resets_at ? `, before it refills at ${at(resets_at)}` : "";
    return `At the pace of the last hour it is used up at ${at(history.exhausted_at)}${until}.`;
  }
  const busiest = Math.max(0, ...history.used.map((used) => used ?? 0));
  if (busiest === 0) return "Not used in this time.";
  if (kind === "calendar" || kind === "reported") {
    if (limit.used === 0) return "It has refilled.";
    const isNew = history.used.filter((used) => used !== null).length < knownStepsMin;
    return isNew ? "No forecast yet." : "At the pace of the last hour it lasts until it refills.";
  }
  return `At its busiest, ${number.format(busiest)} of ${number.format(max)}.`;
}
