import { setImmediate } from "node:timers/promises";
import type { Log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Store } from "../../store/db.ts";
import { type Changes, changesBetween, cursorOf, everything, isNothing, nothing } from "./project-changes.ts";
import { type ProjectState, readProjectState } from "./project-state.ts";

/** What a stream tells. `cursor` names the state after the changes. */
export interface LiveEvent {
  cursor: string;
  changes: Changes;
}

export interface LiveStream {
  /** What may have changed since the cursor that the caller came with, if any: nothing or everything. */
  first: LiveEvent;
  /** Begins to tell. `ended` is called once, when the server stops. */
  listen(listener: { changed(event: LiveEvent): void; ended(): void }): void;
  close(): void;
}

export interface Watcher {
  organizationId: string;
  userId: string;
  projectId: string;
}

/** Tells callers what changes in a project while they listen. */
export interface Live {
  /** The cursor of the project as it is now. */
  cursor(projectId: string): Promise<string>;
  open(watcher: Watcher, since: string | null): Promise<LiveStream>;
  /** Ends every stream, and opens no more. */
  close(): void;
}

interface Watched {
  state: ProjectState;
  cursor: string;
  listeners: Set<(event: LiveEvent | null) => void>;
}

export const streamsMax = { perPerson: 20, perOrganization: 500, perNode: 5_000 };

const pollMilliseconds = 500;
/** Reading takes a tenth of the time at most, however many projects are watched and however slow the store is. */
const restFactor = 9;

/**
 * Compares what the store has with what it had, so it sees the changes of every node, and writers do nothing for it. It reads
 * once for all who watch a project, and nothing while nobody does.
 */
export function createLive({ store, log }: { store: Store; log: Log }): Live {
  const projects = new Map<string, Watched>();
  const counts = new Map<string, number>();
  let isRunning = false;
  let isClosed = false;
  let wakeUp = () => {};

  async function poll(): Promise<void> {
    isRunning = true;
    while (projects.size > 0 && !isClosed) {
      const startedAt = performance.now();
      for (const [projectId, watched] of projects) {
        await look(projectId, watched);
        await setImmediate();
      }
      await rest(Math.max(pollMilliseconds, (performance.now() - startedAt) * restFactor));
    }
    isRunning = false;
  }

  const rest = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function look(projectId: string, watched: Watched): Promise<void> {
    try {
      const state = await readProjectState(store, projectId);
      const changes = changesBetween(watched.state, state);
      watched.state = state;
      if (isNothing(changes)) return;
      watched.cursor = cursorOf(state);
      for (const tell of watched.listeners) tell({ cursor: watched.cursor, changes });
    } catch (error) {
      log.warn({ project_id: projectId, err: error }, "a watched project could not be read, will be tried again");
    }
  }

  /** Counts a stream, or refuses it; returns how to uncount it. */
  function admit({ organizationId, userId }: Watcher): () => void {
    const caps: [string, number][] = [
      [userId, streamsMax.perPerson],
      [organizationId, streamsMax.perOrganization],
      ["", streamsMax.perNode],
    ];
    if (isClosed || caps.some(([name, max]) => (counts.get(name) ?? 0) >= max)) throw new Problem("too_many_streams");
    const add = (change: number) => {
      for (const [name] of caps) {
        const count = (counts.get(name) ?? 0) + change;
        if (count > 0) counts.set(name, count);
        else counts.delete(name);
      }
    };
    add(1);
    return () => add(-1);
  }

  /** Adds the listener at once, so that nobody forgets the project before. */
  async function watch(projectId: string, listener: (event: LiveEvent | null) => void): Promise<Watched> {
    const state = projects.get(projectId)?.state ?? (await readProjectState(store, projectId));
    const watched = projects.get(projectId) ?? newlyWatched(state);
    projects.set(projectId, watched);
    watched.listeners.add(listener);
    if (!isRunning) void poll();
    return watched;
  }

  const newlyWatched = (state: ProjectState): Watched => ({ state, cursor: cursorOf(state), listeners: new Set() });

  async function open(watcher: Watcher, since: string | null): Promise<LiveStream> {
    const uncount = admit(watcher);
    let tell: ((event: LiveEvent | null) => void) | null = null;
    const missed: LiveEvent[] = [];
    const receive = (event: LiveEvent | null) => {
      if (tell) tell(event);
      else if (event) missed.push(event);
    };
    const watched = await watch(watcher.projectId, receive).catch((error) => {
      uncount();
      throw error;
    });
    let isOpen = true;
    return {
      first: { cursor: watched.cursor, changes: since === watched.cursor ? nothing : everything },
      listen({ changed, ended }) {
        tell = (event) => (event ? changed(event) : ended());
        for (const event of missed.splice(0)) changed(event);
        if (isClosed) ended();
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        uncount();
        watched.listeners.delete(receive);
        if (watched.listeners.size === 0) projects.delete(watcher.projectId);
        if (projects.size === 0) wakeUp();
      },
    };
  }

  return {
    cursor: async (projectId) => cursorOf(await readProjectState(store, projectId)),
    open,
    close() {
      isClosed = true;
      wakeUp();
      for (const { listeners } of projects.values()) for (const tell of [...listeners]) tell(null);
    },
  };
}
