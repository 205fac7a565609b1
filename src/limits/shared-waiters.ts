import type { LimitClock } from "./clock.ts";

/** One who waits, as it is kept for other nodes to show. */
export interface Waiting {
  caller: string;
  projectId: string;
  connectionId: string;
  runId: string;
  since: string;
  /** The limit that is waited for. */
  name: string;
}

/** Most waits are over before anybody could read about them. */
const worthShowing = 1000;
const shownMax = 200;
/** Who does not say so again is not there any more. */
export const shownMilliseconds = 30_000;

export interface SharedWaiters {
  /** Somebody waits. */
  notice(): void;
  close(): Promise<void>;
}

/** Tells the store who has waited for more than a moment in this process: once a second at most, and only what changed. */
export function createSharedWaiters(options: {
  clock: LimitClock;
  /** By subject, in the order of the line. */
  waiting(): Map<string, Waiting[]>;
  save(lines: ReadonlyMap<string, readonly Waiting[]>, now: number): Promise<void>;
}): SharedWaiters {
  const { clock } = options;
  const shown = new Map<string, { text: string; at: number }>();
  let cancelTimer: (() => void) | null = null;
  let closed = false;

  function notice(): void {
    if (!cancelTimer && !closed) cancelTimer = clock.after(worthShowing, () => void look());
  }

  async function look(): Promise<void> {
    cancelTimer = null;
    const waiting = options.waiting();
    await show(waiting);
    if (waiting.size > 0 || shown.size > 0) notice();
  }

  async function show(waiting: Map<string, Waiting[]>): Promise<void> {
    const now = clock.wall();
    const lines = new Map<string, Waiting[]>();
    const old = new Date(now - worthShowing).toISOString();
    for (const [subject, all] of waiting)
      lines.set(subject, all.filter(({ since }) => since <= old).slice(0, shownMax));
    for (const subject of shown.keys()) if (!lines.has(subject)) lines.set(subject, []);
    const news = [...lines].filter(([subject, line]) => isNews(shown.get(subject), line, now));
    if (news.length === 0) return;
    try {
      await options.save(new Map(news), now);
    } catch {
      return; // It is shown a second later, or never missed.
    }
    for (const [subject, line] of news) {
      if (line.length === 0) shown.delete(subject);
      else shown.set(subject, { text: JSON.stringify(line), at: now });
    }
  }

  return {
    notice,
    async close() {
      closed = true;
      cancelTimer?.();
      await show(new Map());
    },
  };
}

function isNews(known: { text: string; at: number } | undefined, line: readonly Waiting[], now: number): boolean {
  if (!known) return line.length > 0;
  return JSON.stringify(line) !== known.text || now - known.at > shownMilliseconds / 3;
}
