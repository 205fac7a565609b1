import { createHmac, hash } from "node:crypto";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Db } from "../../store/db.ts";
import {
  deleteFlowsBefore,
  type Flow,
  insertAssertion,
  insertFlow,
  storeAnswer,
  takeAnswered,
  takeByBrowser,
  takeByProvider,
} from "./sign-in-flows.store.ts";

export type { Flow } from "./sign-in-flows.store.ts";

/** "State: 32 random bytes, single use, 10 minutes, stored hashed, bound to the browser by a short-lived cookie." */
export const flowMinutes = 10;

export const stateShape = /^[0-9A-Za-z]{43}$/;

export interface FlowWish {
  providerId: string;
  /** The browser's cookie; null to create one. */
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
 * Derives PKCE's verifier and the nonce from state and cookie, so they are not stored. The redirect address reveals the
 * state but not the cookie, and the store contains hashes of both.
 */
export const secretOf = (purpose: "verifier" | "nonce", state: string, browser: string): string =>
  createHmac("sha256", browser).update(`signalbox sso ${purpose} ${state}`).digest("base64url");

/** Returns null if state or cookie is missing, wrong, used or expired. The caller cannot distinguish these. */
export const takeFlow = (db: Db, state: string, browser: string, now: Date): Promise<Flow | null> =>
  db.transaction((tx) => takeByBrowser(tx, hashOf(state), hashOf(browser), now.toISOString()));

export const claimFlowForResponse = (db: Db, state: string, providerId: string, now: Date): Promise<Flow | null> =>
  db.transaction((tx) => takeByProvider(tx, hashOf(state), providerId, now.toISOString()));

export const saveFlowProof = (db: Db, flow: Flow, answer: unknown): Promise<void> =>
  storeAnswer(db, flow.id, JSON.stringify(answer));

/** Returns the proof that `saveFlowProof` stored. */
export const takeFlowProof = (
  db: Db,
  state: string,
  browser: string,
  now: Date,
): Promise<{ flow: Flow; answer: string } | null> =>
  db.transaction((tx) => takeAnswered(tx, hashOf(state), hashOf(browser), now.toISOString()));

export async function refuseReplay(db: Db, providerId: string, assertionId: string, expiresAt: string): Promise<void> {
  if (await insertAssertion(db, providerId, assertionId, expiresAt)) return;
  throw new Problem("sso_answer_refused", "This response of the identity provider was used before.");
}

export const deleteOldFlows = (db: Db, now: Date): Promise<void> => deleteFlowsBefore(db, now.toISOString());

const hashOf = (text: string): string => hash("sha256", text, "hex");
