import type { Store } from "../store/db.ts";
import { listSubjects } from "./forget-old-states.ts";
import {
  forgetDeadProcesses,
  forgetWaiting,
  listDeadProcesses,
  listStates,
  type RowTime,
  updateStates,
} from "./limits.store.ts";
import { type LimitClock, systemClock } from "./state/clock.ts";
import { releaseDeadReservations } from "./state/reservations.ts";

export interface Rows {
  store: Store;
  clock: LimitClock;
  time: RowTime;
}

/**
 * For a process that starts alone on a SQLite file: no other holder and no waiting call is left. A call that the system
 * may still work on keeps its reservation until its own deadline.
 */
export async function releaseAllReservations(store: Store, clock: LimitClock = systemClock): Promise<void> {
  await releaseIn({ store, clock, time: "own" }, () => true);
  await store.transaction(forgetWaiting);
}

/**
 * Releases what processes without a heartbeat hold. They are forgotten last: if this process dies before, or the store is
 * away, the next beat of any node finds them again. To release a reservation twice changes nothing.
 */
export async function releaseOfDeadProcesses(rows: Rows): Promise<void> {
  const { store, time, clock } = rows;
  const dead = new Set(await listDeadProcesses(store, time, clock));
  if (dead.size === 0) return;
  const namesDead = (_: string, state: string): boolean => [...dead].some((name) => state.includes(`"${name}.`));
  await releaseIn(rows, (process) => dead.has(process), namesDead);
  await forgetDeadProcesses(store, time, clock, dead);
}

async function releaseIn(
  { store, clock, time }: Rows,
  isDead: (process: string) => boolean,
  matches: (subject: string, state: string) => boolean = () => true,
): Promise<void> {
  const page = (after: string, limit: number) => listStates(store, after, limit);
  for (const subject of await listSubjects(page, matches)) {
    await updateStates({ store, clock, time }, [subject], ({ states, now }) => {
      const changes = [...states.values()].map((state) => releaseDeadReservations(state, isDead, now.wall));
      return { result: undefined, changed: changes.includes(true), uses: [] };
    });
  }
}
