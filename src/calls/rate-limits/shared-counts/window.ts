/** The calls of one subject in one window, as this process counts them. */
export interface Window {
  readonly policy: string;
  readonly subject: string;
  readonly quota: number;
  readonly windowMilliseconds: number;
  /** Calls that this process has admitted. */
  used: number;
  /** By this process's monotonic clock. */
  endsAt: number;
  /** `used` may not exceed it. */
  allowed: number;
  /** When `used` reaches it, more calls are taken from the shared count in the background. */
  askAt: number;
  /** Calls of other processes, as far as this one knows. */
  others: number;
  /** Calls that this process has taken from the shared count, in advance or afterwards. */
  taken: number;
  /** How far `used` may be ahead of `taken`. */
  credit: number;
  /** Calls that wait until more is taken. */
  waiting: number;
  /** The shared count has nothing left. */
  isFull: boolean;
  /** Until then, a full window is refused without a question to the database. */
  fullUntil: number;
  /** Of an exact limit: calls that this process has counted for itself and not told the database yet. */
  owed: number;
}

/** A window that one process counts alone, until it is shared. */
export function openWindow(
  { policy, subject, quota, windowMilliseconds }: Pick<Window, "policy" | "subject" | "quota" | "windowMilliseconds">,
  now: number,
): Window {
  return {
    policy,
    subject,
    quota,
    windowMilliseconds,
    used: 0,
    endsAt: now + windowMilliseconds,
    allowed: quota,
    askAt: Number.POSITIVE_INFINITY,
    others: 0,
    taken: 0,
    credit: quota,
    waiting: 0,
    isFull: false,
    fullUntil: 0,
    owed: 0,
  };
}

/** "Approximate within 5 %." */
const errorMax = 0.05;

/** What each process has of the allowed error. One more process is assumed than is known, for one that has just started. */
const shareOf = (quota: number, processes: number): number =>
  processes === 0 ? 0 : Math.floor((quota * errorMax) / (processes + 1));

/**
 * How many calls each process may admit before it has taken them from the shared count. All processes together stay within the
 * error. With so many processes that each has none, a call waits for the shared count, and the limit is exact.
 */
export const creditOf = shareOf;

/**
 * How many calls a process takes in advance: fewer, the less is left. What one process holds, the others cannot use, so all of them
 * together hold no more than the error.
 */
export function leaseOf({ quota, others, taken }: Window, processes: number): number {
  const left = quota - others - taken;
  return Math.max(0, Math.min(shareOf(quota, processes), Math.floor(left / (2 * Math.max(1, processes)))));
}

export const uncoveredOf = ({ used, taken }: Window): number => Math.max(0, used - taken);

/** Sets how far the process may count, and when it asks for more. */
export function setBounds(window: Window, lease: number): void {
  const { used, taken, credit } = window;
  window.allowed = window.isFull ? taken : taken + credit;
  if (window.isFull) window.askAt = Number.POSITIVE_INFINITY;
  else if (taken > used) window.askAt = Math.max(used + 1, taken - Math.floor(lease / 2));
  else window.askAt = used + Math.max(1, Math.ceil((credit - (used - taken)) / 2));
}

/** A shared count after a change. The sum may be above the quota: then only a part of the change fitted. */
export interface SharedCount {
  sum: number;
  millisecondsLeft: number;
}

/** Takes over the answer to a change of the shared count that was sent at `sentAt`. */
export function learn(window: Window, change: number, count: SharedCount, sentAt: number): void {
  const { quota } = window;
  const above = Math.max(0, count.sum - quota);
  window.taken += change > 0 ? Math.max(0, change - above) : change;
  const counted = Math.max(0, Math.min(count.sum, quota));
  window.others = Math.max(0, counted - window.taken);
  window.isFull = counted >= quota;
  // From the moment of the question, not of the answer: this window never ends later than the shared one.
  window.endsAt = sentAt + count.millisecondsLeft;
}
