import type { Use } from "./limits.store.ts";
import type { Round, Waiter } from "./rounds/round-types.ts";
import type { LimitClock } from "./state/clock.ts";

/** Which connections use which limits, as far as this process has written it. */
export interface NewUses {
  /** The uses of a round that are not in the store yet. */
  of(round: Round): Use[];
  /** They are durable. */
  written(uses: readonly Use[]): void;
}

const rememberedMax = 10_000;
/** A use is written again once a day: another node may have deleted it with the rest of an unused limit. */
const rememberedMilliseconds = 86_400_000;

export function createNewUses(clock: LimitClock): NewUses {
  const writtenAt = new Map<string, number>();
  const isWritten = (use: Use): boolean => (writtenAt.get(keyOf(use)) ?? 0) > clock.wall() - rememberedMilliseconds;
  return {
    of({ admitted, counted }) {
      const calls = [...admitted.map(({ waiter }) => waiter).filter(countsAtAdmission), ...counted];
      const uses = calls.flatMap(({ demands, caller: { projectId, connectionId } }) =>
        demands.map(({ subject }) => ({ projectId, connectionId, subject })),
      );
      return [...new Map(uses.map((use) => [keyOf(use), use])).values()].filter((use) => !isWritten(use));
    },
    written(uses) {
      if (writtenAt.size >= rememberedMax) writtenAt.clear();
      for (const use of uses) writtenAt.set(keyOf(use), clock.wall());
    },
  };
}

/** Other limits belong to a connection only once the system has accepted a call of it. */
const countsAtAdmission = ({ demands }: Waiter): boolean => demands.every(({ onceAuthorized }) => !onceAuthorized);

const keyOf = ({ connectionId, subject }: Use): string => `${connectionId}\n${subject}`;
