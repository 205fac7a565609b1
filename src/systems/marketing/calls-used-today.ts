import type { Answer } from "../work.ts";
import { centralDay } from "./central-midnight.ts";
import { answeredAt } from "./failure.ts";
import { isRecord } from "./protocol/endpoints.ts";
import { rowsOf } from "./protocol/rows.ts";

/** How many calls all tools of the instance have made today, from `stats/usage.json`; null if it does not say. */
export function usedToday(answer: Answer): number | null {
  const today = centralDay(answeredAt(answer));
  const row = rowsOf(answer.body).find((each) => isRecord(each) && each.date === today);
  return isRecord(row) && typeof row.total === "number" && row.total >= 0 ? row.total : null;
}
