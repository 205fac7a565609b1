import { createHash, hash } from "node:crypto";
import type { Scope } from "../../access/scope.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import { type SystemId, systemOf } from "../../systems/index.ts";
import { type OAuthClient, SignInFailed } from "../../systems/sign-in.ts";
import { toProblem } from "../connect.ts";
import type { Instance } from "../connections.ts";
import { endpointOf } from "../system-addresses.ts";
import { allowedNext, type ReturningBrowser, refuseOtherBrowser, whyEnded } from "./check-redirect.ts";
import { type ConsentSummary, summaryOf } from "./consent-summary.ts";
import {
  bindToBrowser,
  type Connect,
  claimConnect,
  deleteConnectsBefore,
  endConnect,
  findConnect,
  insertConnect,
} from "./consents.store.ts";
import { type ConsentParts, exchangeCode, openConsent, sealConsent } from "./exchange-code.ts";

export type { ReturningBrowser } from "./check-redirect.ts";
export type { ConsentSummary } from "./consent-summary.ts";

/** A consent page to show. */
export interface ConsentWish {
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  label: string | null;
  connectionId: string | null;
  client: OAuthClient;
  /** The account that the page should offer first: the one that is reconnected. */
  loginHint?: string;
}

export interface BegunConsent {
  connectId: string;
  url: string;
  expiresAt: string;
}

/** For a window that receives no message from the pop-up. */
export interface ConsentStatus {
  state: "pending" | "connected" | "failed" | "expired";
  connectionId: string | null;
  problem: unknown;
}

/** The first page of the pop-up. `keyId` is the key or session that began the consent. */
export type ConsentShown =
  | { ok: true; keyId: string; asked: ConsentSummary }
  | { ok: false; detail: string; remedy: string };

/** The last page of the pop-up. `lacks` says what the account cannot do, although it is connected. */
export type ConsentEnd =
  | {
      ok: true;
      connectId: string;
      connectionId: string;
      asked: ConsentSummary;
      lacks: string | null;
      next: string | null;
    }
  | { ok: false; connectId: string | null; detail: string; remedy: string; asked: ConsentSummary | null };

const expiryMinutes = 10;
const retentionHours = 24;

/** The consent pop-up: authorization code with PKCE, and a state that works once. No token ever reaches a browser. */
export function createConsents(parts: ConsentParts) {
  const { store, keys, config, now } = parts;
  const { redirectUri } = config;
  const startUrl = new URL("start", redirectUri).href;

  async function begin(scope: Scope, projectId: string, wish: ConsentWish): Promise<BegunConsent> {
    const consent = systemOf(wish.system).signIn.consent;
    if (!consent) throw new Error(`The ${wish.system} system has no consent page.`);
    const connectId = randomBase62(43);
    const id = hashOf(connectId);
    const verifier = randomBase62(64);
    const { organizationId, userId, keyId } = scope.actor;
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const at = { ...endpointOf(wish, config), client: wish.client };
    const hint = wish.loginHint === undefined ? {} : { loginHint: wish.loginHint };
    const url = consent.url(at, { state: connectId, challenge, redirectUri, ...hint });
    const secrets = { verifier, client: wish.client, url };
    const sealed = await sealConsent(scope.db, keys, { id, organizationId }, secrets);
    const createdAt = scope.now().toISOString();
    const expiresAt = new Date(scope.now().getTime() + expiryMinutes * 60_000).toISOString();
    const { client: _client, loginHint: _hint, ...kept } = wish;
    await insertConnect(scope.db, {
      ...kept,
      id,
      organizationId,
      projectId,
      userId,
      keyId,
      sealed: sealed.text,
      dataKeyId: sealed.dataKeyId,
      state: "pending",
      problem: null,
      createdAt,
      expiresAt,
      browserHash: null,
    });
    return { connectId, expiresAt, url: `${startUrl}?state=${connectId}` };
  }

  /** What our own page shows before the system's page. */
  async function show(connectId: string): Promise<ConsentShown> {
    const connect = connectId === "" ? null : await findConnect(store, hashOf(connectId));
    if (connect?.state === "pending" && !isExpired(connect, now())) {
      return { ok: true, keyId: connect.keyId, asked: await summaryOf(store, connect) };
    }
    return { ok: false, ...whyEnded(connectId, connect) };
  }

  /** The user continues in this browser. Returns the system's page, or null after the deadline. */
  async function open(connectId: string, browserHash: string): Promise<string | null> {
    const id = hashOf(connectId);
    const isBound = await store.transaction((db) => bindToBrowser(db, id, browserHash, now().toISOString()));
    const connect = isBound ? await findConnect(store, id) : null;
    return connect?.sealed ? (await openConsent(store, keys, connect)).url : null;
  }

  async function status(projectId: string, connectId: string): Promise<ConsentStatus> {
    const connect = await findConnect(store, hashOf(connectId));
    if (connect?.projectId !== projectId) throw new Problem("connect_not_found");
    const state = isExpired(connect, now()) ? "expired" : connect.state === "working" ? "pending" : connect.state;
    const connectionId = state === "connected" ? connect.connectionId : null;
    return { state, connectionId, problem: connect.problem };
  }

  /** The consent page redirected back. The outcome is stored for `status` and shown on the page. */
  async function finish(parameters: URLSearchParams, from: ReturningBrowser | null): Promise<ConsentEnd> {
    const connectId = parameters.get("state") ?? "";
    const connect = await store.transaction((db) => claimConnect(db, hashOf(connectId), now().toISOString()));
    if (!connect) return refuseUnknown(connectId);
    try {
      refuseOtherBrowser(connect, from);
      const { connectionId, account, lacks } = await exchangeCode(connect, parameters, parts);
      const asked = await summaryOf(store, connect, account);
      return { ok: true, connectId, connectionId, asked, lacks, next: allowedNext(connect, parameters, config) };
    } catch (error) {
      const problem = error instanceof SignInFailed ? toProblem(error) : error;
      if (!(problem instanceof Problem)) {
        const remedy = "Start again; if it happens twice, tell the operator.";
        await end(connect, { code: "internal", detail: "An unexpected error occurred.", remedy });
        throw error;
      }
      const remedy = String(problem.extras.more?.remedy ?? "Start again.");
      await end(connect, { code: problem.code, detail: problem.message, ...problem.extras.more, remedy });
      return { ok: false, connectId, detail: problem.message, remedy, asked: await summaryOf(store, connect) };
    }
  }

  const end = (connect: Connect, problem: unknown): Promise<void> =>
    store.transaction((db) => endConnect(db, connect.id, { state: "failed", problem }));

  async function refuseUnknown(connectId: string): Promise<ConsentEnd> {
    const known = connectId === "" ? null : await findConnect(store, hashOf(connectId));
    return { ok: false, connectId: null, asked: null, ...whyEnded(connectId, known) };
  }

  return {
    begin,
    show,
    open,
    status,
    finish,
    deleteExpired: (): Promise<void> =>
      deleteConnectsBefore(store, new Date(now().getTime() - retentionHours * 3_600_000).toISOString()),
  };
}

/** Long enough for every request of an exchange to complete or time out. */
const exchangeSeconds = 120;

/** The user did not return in time, or the server died during the exchange. */
function isExpired({ state, expiresAt }: Connect, now: Date): boolean {
  const graceSeconds = state === "working" ? exchangeSeconds : 0;
  return (state === "pending" || state === "working") && Date.parse(expiresAt) + graceSeconds * 1000 <= now.getTime();
}

const hashOf = (connectId: string): string => hash("sha256", connectId, "hex");
