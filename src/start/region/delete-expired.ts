import { deleteOverGrants } from "../../access/assistants/oauth-grants.ts";
import { deleteOldSessions } from "../../access/callers/sessions.ts";
import { forgetOldAnswers } from "../../calls/idempotency.ts";
import { deleteOldChallenges } from "../../identity/challenges.ts";
import { deleteOldFlows } from "../../identity/sso/sign-in-flows.ts";
import type { Log } from "../../kernel/log.ts";
import type { Limits } from "../../limits/limits.ts";
import { forgetOldIntents } from "../../runs/journal/write-intents.ts";
import type { Store } from "../../store/db.ts";
import { deleteUnownedTexts } from "../../store/large-texts.ts";
import type { OpenInviteCodes } from "../../vault/sealing/hide-invite-codes.ts";

const flushEverySeconds = 10;
const cleanEverySeconds = 600;
const forgetLimitsEverySeconds = 6 * 3600;

interface CleanUpParts {
  store: Store;
  limits: Limits;
  inviteCodes: Pick<OpenInviteCodes, "refresh">;
  /** Writes what is kept in memory first. */
  flushOften: (() => Promise<void>)[];
  log: Log;
  /** A clock that deleting may trust. */
  expiryNow: () => Date;
}

/** What is no longer valid at this time, or no longer needed. */
export async function deleteExpired(store: Store, expiryNow: Date): Promise<void> {
  await forgetOldAnswers(store, expiryNow);
  await forgetOldIntents(store, expiryNow);
  await deleteOldSessions(store, expiryNow);
  await deleteOverGrants(store, expiryNow.toISOString());
  await deleteOldFlows(store, expiryNow);
  await deleteOldChallenges(store, expiryNow);
  await deleteUnownedTexts(store, expiryNow);
}

/** Periodic work of a region: deletes what has expired, and writes what is kept in memory first. A failure is logged and retried. */
export function startCleanUp({ store, limits, inviteCodes, flushOften, log, expiryNow }: CleanUpParts): {
  stop(): Promise<void>;
} {
  const quietly = (work: () => Promise<void>) => () =>
    work().catch((error) => log.warn({ err: error }, "background work failed and will be retried"));
  const forgetLimits = async (): Promise<void> => void (await limits.forgetOld(expiryNow()));
  const timers = [
    ...flushOften.map((flush) => setInterval(quietly(flush), flushEverySeconds * 1000)),
    setInterval(
      quietly(() => deleteExpired(store, expiryNow())),
      cleanEverySeconds * 1000,
    ),
    setInterval(quietly(inviteCodes.refresh), cleanEverySeconds * 1000),
    setInterval(quietly(forgetLimits), forgetLimitsEverySeconds * 1000),
  ];
  for (const timer of timers) timer.unref();
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      for (const flush of flushOften) await quietly(flush)();
    },
  };
}
