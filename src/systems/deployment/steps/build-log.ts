import { segment } from "../../paths.ts";
import { type Answer, StepFailed, send, type Work } from "../../work.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { isRecord, textIn } from "../protocol/platform-records.ts";

const linesShown = 20;
const charactersMax = 4_000;
const eventsAsked = 100;
/** Older builds ignore the limit; the newest events come first. */
const eventsRead = 10 * eventsAsked;

/** The last lines of a build; none if the log cannot be read, since that is not the failure to report. */
export function* readLastLines(deploymentId: string): Work<string[]> {
  try {
    const query = { direction: "backward", limit: eventsAsked, follow: 0, builds: 1 };
    return lastLines(yield* send(apiRequest("GET", `/v3/deployments/${segment(deploymentId)}/events`, { query })));
  } catch (error) {
    if (error instanceof StepFailed) return [];
    throw error;
  }
}

/** They come newest first, as an array or as JSON lines, flat or mostly under `payload`. */
export function lastLines({ body }: Answer): string[] {
  const events = Array.isArray(body) ? body.slice(0, eventsRead) : typeof body === "string" ? fromLines(body) : [];
  const printed = events
    .map((event) => ({ type: textIn(event, "type"), serial: serialOf(event), text: textOf(event) }))
    .filter(({ type, text }) => text !== null && ["command", "stdout", "stderr", "fatal"].includes(type ?? ""))
    .sort((a, b) => (a.serial < b.serial ? -1 : a.serial > b.serial ? 1 : 0));
  const lines = printed.slice(-linesShown).map(({ text }) => (text ?? "").trimEnd());
  while (lines.length > 1 && lines.join("\n").length > charactersMax) lines.shift();
  return lines.map((line) => line.slice(0, charactersMax));
}

const inside = (event: unknown): unknown => (isRecord(event) && isRecord(event.payload) ? event.payload : event);
const textOf = (event: unknown): string | null => textIn(inside(event), "text");
const serialOf = (event: unknown): string => textIn(inside(event), "serial") ?? textIn(inside(event), "id") ?? "";

function fromLines(text: string): unknown[] {
  return text.split("\n", eventsRead).flatMap((line) => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line) as unknown];
    } catch {
      // The last line may be cut off; the others are shown.
      return [];
    }
  });
}
