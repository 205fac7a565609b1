import type { DayUse } from "./gateway/call-limits.ts";
import type { Reply } from "./gateway/envelope.ts";
import type { Context } from "./instance.ts";

/** `GET /rest/v1/stats/usage.json` and `…/last7days.json`: calls counted, by Central day and user. */
export const readUsage =
  (days: number) =>
  ({ limits }: Context): Reply => ({ result: limits.days().slice(0, days).map(usageRecord) });

/** `GET /rest/v1/stats/errors.json` and `…/last7days.json`: refusals counted, by Central day and code. */
export const readErrors =
  (days: number) =>
  ({ limits }: Context): Reply => ({ result: limits.days().slice(0, days).map(errorRecord) });

const usageRecord = ({ date, total, users }: DayUse) => ({
  date,
  total,
  users: [...users].map(([userId, count]) => ({ userId, count })),
});

function errorRecord({ date, errors }: DayUse) {
  const counts = [...errors].map(([errorCode, count]) => ({ errorCode, count }));
  return { date, total: counts.reduce((sum, { count }) => sum + count, 0), errors: counts };
}
