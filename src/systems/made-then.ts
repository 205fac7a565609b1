/** What the time of a record says about a write whose answer was lost. */

/** All times are those of the system's own clock, as far as its answers have shown it: read them after an answer. */
export interface SentThen {
  /** When the write was sent. */
  readonly askedAt: Date;
  /** By then the system has carried it out, or never will. */
  readonly latestAt: Date;
}

/** Not every server of a system has the same time, and `Date` headers have whole seconds. */
const clockToleranceMilliseconds = 5 * 60_000;

/**
 * Whether the write can have made a record. What was made after the write had its time is another one's; within the
 * precision of the clocks after that, and without a time that can be read, nobody knows.
 */
export function isMadeThen(createdAt: unknown, { askedAt, latestAt }: SentThen): "yes" | "no" | "unknown" {
  const at = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
  if (Number.isNaN(at)) return "unknown";
  if (at < askedAt.getTime() - clockToleranceMilliseconds) return "no";
  if (at <= latestAt.getTime()) return "yes";
  return at <= latestAt.getTime() + clockToleranceMilliseconds ? "unknown" : "no";
}
