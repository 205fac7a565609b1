import type { LimitClock } from "../state/clock.ts";

/** A waiting call, as other nodes show it. */
export interface Waiting {
  caller: string;
  projectId: string;
  connectionId: string;
  runId: string;
  since: string;
  /** The limit that it waits for. */
  name: string;
}

/** Shorter waits are over before a person could read about them. */
const worthShowing = 1000;
const shownMax = 200;
/** A row that is not renewed within this time does not count. */
export const shownMilliseconds = 30_000;

export interface SharedWaiters {
  /** A call waits. */
  notice(): void;
  close(): Promise<void>;
}

/** Writes which calls of this process have waited for more than a second: once a second at most, and only changes. */
export function createSharedWaiters(options: {
  clock: LimitClock;
  /** By subject, in the order of admission. */
  waiting(): Map<string, Waiting[]>;
  save(bySubject: ReadonlyMap<string, readonly Waiting[]>, now: number): Promise<void>;
  /** Called for the first failure to save after a success. */
  failed(error: unknown): void;
}): SharedWaiters {
  const { clock } = options;
  let isFailing = false;
  const shown = new Map<string, { text: string; at: number }>();
  let cancelTimer: (() => void) | null = null;
  let closed = false;

  function notice(): void {
    if (!cancelTimer && !closed) cancelTimer = clock.after(worthShowing, () => void publish());
  }

  async function publish(): Promise<void> {
    cancelTimer = null;
    const waiting = options.waiting();
    await show(waiting);
    if (waiting.size > 0 || shown.size > 0) notice();
  }

  async function show(waiting: Map<string, Waiting[]>): Promise<void> {
    const now = clock.wall();
    const bySubject = new Map<string, Waiting[]>();
    const old = new Date(now - worthShowing).toISOString();
    for (const [subject, all] of waiting)
      bySubject.set(subject, all.filter(({ since }) => since <= old).slice(0, shownMax));
    for (const subject of shown.keys()) if (!bySubject.has(subject)) bySubject.set(subject, []);
    const news = [...bySubject].filter(([subject, waiting]) => isNews(shown.get(subject), waiting, now));
    if (news.length === 0) return;
    try {
      await options.save(new Map(news), now);
      isFailing = false;
    } catch (error) {
      if (!isFailing) options.failed(error);
      isFailing = true;
      return; // The next call of `publish` writes it.
    }
    for (const [subject, waiting] of news) {
      if (waiting.length === 0) shown.delete(subject);
      else shown.set(subject, { text: JSON.stringify(waiting), at: now });
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

function isNews(known: { text: string; at: number } | undefined, waiting: readonly Waiting[], now: number): boolean {
  if (!known) return waiting.length > 0;
  return JSON.stringify(waiting) !== known.text || now - known.at > shownMilliseconds / 3;
}
