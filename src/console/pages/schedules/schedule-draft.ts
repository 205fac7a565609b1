import type { Path, RecordOf } from "../../../client/wire.ts";
import { firstTiming, type Timing, timingOf } from "./timing-as-cron.ts";
import { ownTimeZone } from "./zone-time.ts";

export type Schedule = RecordOf<"/latest/schedules/list">;
export type Misfire = Schedule["misfire"];

export const scheduleChanges: Path[] = ["/latest/schedules/list"];

export const misfires: { value: Misfire; label: string }[] = [
  { value: "skip", label: "Skip them" },
  { value: "once", label: "Run once for all of them" },
  { value: "all", label: "Run each of them, the last ten at most" },
];

/** A schedule as the form holds it. */
export interface ScheduleDraft {
  toolId: string;
  timing: Timing;
  timeZone: string;
  misfire: Misfire;
  params: Record<string, unknown>;
}

export const draftOf = (schedule: Schedule | null): ScheduleDraft =>
  schedule === null
    ? { toolId: "", timing: firstTiming, timeZone: ownTimeZone(), misfire: "skip", params: {} }
    : {
        toolId: schedule.tool_id,
        timing: timingOf(schedule.cron),
        timeZone: schedule.time_zone,
        misfire: schedule.misfire,
        params: schedule.params,
      };
