import { createHmac, hash } from "node:crypto";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Db } from "../../store/db.ts";
import {
  deleteBefore,
  type Flow,
  insertAssertion,
  insertFlow,
  keepAnswer,
  takeAnswered,
  takeByBrowser,
  takeByProvider,
} from "./flows.store.ts";

export type { Flow } from "./flows.store.ts";

/** "State: 32 random bytes, single use, 10 minutes, stored hashed, bound to the browser by a short-lived cookie." */
export const flowMinutes = 10;

export const stateShape = /^[0-9A-Za-z]{43}$/;

export interface FlowWish {
  providerId: string;
  /** What the browser holds in its cookie; a new one where it has none. */
  browser: string | null;
  requestId: string | null;
  sessionId: string | null;
  nextPath: string | null;
}

export interface BegunFlow {
  flow: Flow;
  state: string;
  browser: string;
}

export async function beginFlow(db: Db, wish: FlowWish, now: Date): Promise<BegunFlow> {
  const state = randomBase62(43);
  const browser = wish.browser ?? randomBase62(43);
  const flow: Flow = {
    id: hashOf(state),
    providerId: wish.providerId,
    browserHash: hashOf(browser),
    requestId: wish.requestId,
    sessionId: wish.sessionId,
    nextPath: wish.nextPath,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + flowMinutes * 60_000).toISOString(),
  };
  await db.transaction((tx) => insertFlow(tx, flow));
  return { flow, state, browser };
}

/**
 * PKCE's verifier and the nonce are made of the state and the cookie together, so they are kept nowhere: whoever sees the
 * address that comes back knows the state and not the cookie, and whoever reads the store knows neither.
 */
export const secretOf = (purpose: "verifier" | "nonce", state: string, browser: string): string =>
  createHmac("sha256", browser).update(`signalbox sso ${purpose} ${state}`).digest("base64url");

/** Null where state or cookie are missing, wrong, used or too old: all of them look the same. */
export const takeFlow = (db: Db, state: string, browser: string, now: Date): Promise<Flow | null> =>
  db.transaction((tx) => takeByBrowser(tx, hashOf(state), hashOf(browser), now.toISOString()));

export const takeForAnswer = (db: Db, state: string, providerId: string, now: Date): Promise<Flow | null> =>
  db.transaction((tx) => takeByProvider(tx, hashOf(state), providerId, now.toISOString()));

export const keepFlowAnswer = (db: Db, flow: Flow, answer: unknown): Promise<void> =>
  keepAnswer(db, flow.id, JSON.stringify(answer));

/** The answer is one that was kept here. */
export const takeFlowAnswer = (
  db: Db,
  state: string,
  browser: string,
  now: Date,
): Promise<{ flow: Flow; answer: string } | null> =>
  db.transaction((tx) => takeAnswered(tx, hashOf(state), hashOf(browser), now.toISOString()));

export async function refuseReplay(db: Db, providerId: string, assertionId: string, expiresAt: string): Promise<void> {
  if (await insertAssertion(db, providerId, assertionId, expiresAt)) return;
  throw new Problem("sso_answer_refused", "This answer of the identity provider was used before.");
}

export const forgetOldFlows = (db: Db, now: Date): Promise<void> =>
  db.transaction((tx) => deleteBefore(tx, now.toISOString()));

const hashOf = (text: string): string => hash("sha256", text, "hex");
