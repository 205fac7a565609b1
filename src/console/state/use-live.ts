import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { SignalboxProblem } from "../../client/problem.ts";
import { type Changes, readEvents } from "./event-stream.ts";
import { goToSignIn, isSignedOut } from "./go-to-sign-in.ts";
import { createRefresher } from "./refresh-live.ts";
import { useProjectId } from "./use-project.ts";

/** One stream tells what changes in the project. While it is open no page polls; when it fails, pages poll as before. */

let isLive = false;
const listeners = new Set<() => void>();

function setLive(next: boolean): void {
  if (isLive === next) return;
  isLive = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** How often to ask for runs and connections: not at all while the stream is open. */
export const useEvery = <T extends number | false>(milliseconds: T): T | false =>
  useSyncExternalStore(subscribe, () => isLive) ? false : milliseconds;

/** Keeps the stream of the project in the address open while the page is visible. */
export function useLive(): void {
  const projectId = useProjectId();
  const client = useQueryClient();
  useEffect(() => {
    if (projectId === null) return;
    let stop = () => {};
    const known = { cursor: null };
    const follow = () => {
      stop();
      // A hidden page holds no connection: a browser has six for all its tabs.
      stop = document.hidden ? () => {} : followProject(projectId, known, client);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stop();
    };
  }, [projectId, client]);
}

const firstPause = 1000;
const longestPause = 30_000;

/** `known` outlives a stream: the next one tells whether anything has changed meanwhile. */
function followProject(projectId: string, known: { cursor: string | null }, client: QueryClient): () => void {
  const stopped = new AbortController();
  const refresher = createRefresher(projectId, client);
  let pause = firstPause;

  function changed(id: string, changes: Changes): void {
    known.cursor = id;
    pause = firstPause;
    setLive(true);
    refresher.add(changes);
  }

  async function follow(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await readEvents(projectId, known.cursor, stopped.signal, changed);
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (isSignedOut(error)) return goToSignIn();
        if (error instanceof SignalboxProblem && error.status === 404) return;
      }
      setLive(false);
      // With jitter: the pages of a server that restarts do not all return at once.
      await waitFor(pause * (0.5 + Math.random()), stopped.signal);
      pause = Math.min(longestPause, pause * 2);
    }
  }

  void follow();
  return () => {
    stopped.abort();
    refresher.stop();
    setLive(false);
  };
}

/** The network's return ends the pause early. */
const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
