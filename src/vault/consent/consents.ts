import { createHash, hash } from "node:crypto";
import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { requirePersonInProject } from "../../access/callers/requirements.ts";
import type { Announce, Scope } from "../../access/scope.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Store } from "../../store/db.ts";
import { type SystemId, systemOf } from "../../systems/index.ts";
import { type Endpoint, type OAuthClient, SignInFailed } from "../../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../../transport/outbound.ts";
import { ask } from "../ask.ts";
import { saveVerified, toProblem, type Verified, verify } from "../connect.ts";
import type { Instance } from "../connections.ts";
import { endpointOf, type VaultConfig } from "../endpoint.ts";
import type { DataKeys } from "../sealing/data-keys.ts";
import {
  bindConnect,
  type Connect,
  deleteConnectsBefore,
  endConnect,
  findConnect,
  insertConnect,
  takeConnect,
} from "./consents.store.ts";
import {
  allowedNext,
  type ComingBrowser,
  refuseOtherBrowser,
  refuseOtherIssuer,
  refuseRefusal,
  startAgain,
  whyOver,
} from "./read-answer.ts";
import { askedOf, type ConsentAsked } from "./shown-request.ts";

export type { ComingBrowser } from "./read-answer.ts";
export type { ConsentAsked } from "./shown-request.ts";

/** A consent page that is to be shown. */
export interface ConsentWish {
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  label: string | null;
  connectionId: string | null;
  client: OAuthClient;
  /** Whom the page should offer first: the account that is reconnected. */
  loginHint?: string;
}

export interface BegunConsent {
  connectId: string;
  url: string;
  expiresAt: string;
}

/** How a sign-in stands, for a window that cannot be told. */
export interface ConsentStatus {
  state: "pending" | "connected" | "failed" | "expired";
  connectionId: string | null;
  problem: unknown;
}

/** What a person sees at the beginning of a pop-up. */
export type ConsentShown =
  | { ok: true; userId: string; asked: ConsentAsked }
  | { ok: false; detail: string; remedy: string };

/** What a person sees at the end of a pop-up. */
export type ConsentEnd =
  | { ok: true; connectId: string; connectionId: string; asked: ConsentAsked; next: string | null }
  | { ok: false; connectId: string | null; detail: string; remedy: string; asked: ConsentAsked | null };

const lifeMinutes = 10;
const keepHours = 24;

export interface ConsentParts {
  store: Store;
  keys: DataKeys;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  announce: Announce;
}

/** The pop-up: code and PKCE, a state that works once, and everything else on the server. No token is ever in a browser. */
export function createConsents({ store, keys, outbound, config, now, announce }: ConsentParts) {
  const { redirectUri, region } = config;
  const startUrl = new URL("start", redirectUri).href;

  async function begin(scope: Scope, projectId: string, wish: ConsentWish): Promise<BegunConsent> {
    const consent = systemOf(wish.system).signIn.consent;
    if (!consent) throw new Error(`The ${wish.system} system has no consent page.`);
    const connectId = randomBase62(43);
    const id = hashOf(connectId);
    const verifier = randomBase62(64);
    const { organizationId, userId, keyId } = scope.actor;
    const sealContext = { table: "connects", row: id, organizationId } as const;
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const at = { ...endpointOf(wish, config), client: wish.client };
    const hint = wish.loginHint === undefined ? {} : { loginHint: wish.loginHint };
    const url = consent.url(at, { state: connectId, challenge, redirectUri, ...hint });
    const secrets: ConsentSecrets = { verifier, client: wish.client, url };
    const sealed = await keys.seal(scope.db, JSON.stringify(secrets), sealContext);
    const createdAt = scope.now().toISOString();
    const expiresAt = new Date(scope.now().getTime() + lifeMinutes * 60_000).toISOString();
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

  /** What our own page says, before anybody goes on to the system's. */
  async function show(connectId: string): Promise<ConsentShown> {
    const connect = connectId === "" ? null : await findConnect(store, hashOf(connectId));
    if (connect?.state === "pending" && !isOver(connect, now())) {
      return { ok: true, userId: connect.userId, asked: await askedOf(store, connect) };
    }
    return { ok: false, ...whyOver(connectId, connect) };
  }

  /** Somebody goes on, in this browser: where to. Null where it is too late. */
  async function open(connectId: string, browserHash: string): Promise<string | null> {
    const id = hashOf(connectId);
    const isBound = await store.transaction((db) => bindConnect(db, id, browserHash, now().toISOString()));
    const connect = isBound ? await findConnect(store, id) : null;
    return connect?.sealed ? (await openSecrets(connect)).url : null;
  }

  async function status(projectId: string, connectId: string): Promise<ConsentStatus> {
    const connect = await findConnect(store, hashOf(connectId));
    if (connect?.projectId !== projectId) throw new Problem("connect_not_found");
    const state = isOver(connect, now()) ? "expired" : connect.state === "working" ? "pending" : connect.state;
    const connectionId = state === "connected" ? connect.connectionId : null;
    return { state, connectionId, problem: connect.problem };
  }

  /** The person is back. Whatever happens is written down for `status`, and said on the page. */
  async function finish(parameters: URLSearchParams, from: ComingBrowser | null): Promise<ConsentEnd> {
    const connectId = parameters.get("state") ?? "";
    const connect = await store.transaction((db) => takeConnect(db, hashOf(connectId), now().toISOString()));
    if (!connect) return refuseUnknown(connectId);
    try {
      refuseOtherBrowser(connect, from);
      const { connectionId, account } = await exchange(connect, parameters);
      const asked = await askedOf(store, connect, account);
      return { ok: true, connectId, connectionId, asked, next: allowedNext(connect, parameters, config) };
    } catch (error) {
      const problem = error instanceof SignInFailed ? toProblem(error) : error;
      if (!(problem instanceof Problem)) {
        const remedy = "Start again; if it happens twice, tell the operator.";
        await end(connect, { code: "internal", detail: "Something unforeseen happened.", remedy });
        throw error;
      }
      const remedy = String(problem.extras.more?.remedy ?? "Start again.");
      await end(connect, { code: problem.code, detail: problem.message, ...problem.extras.more, remedy });
      return { ok: false, connectId, detail: problem.message, remedy, asked: await askedOf(store, connect) };
    }
  }

  const end = (connect: Connect, problem: unknown): Promise<void> =>
    store.transaction((db) => endConnect(db, connect.id, { state: "failed", problem }));

  async function refuseUnknown(connectId: string): Promise<ConsentEnd> {
    const known = connectId === "" ? null : await findConnect(store, hashOf(connectId));
    return { ok: false, connectId: null, asked: null, ...whyOver(connectId, known) };
  }

  async function exchange(
    connect: Connect,
    parameters: URLSearchParams,
  ): Promise<{ connectionId: string; account: string }> {
    const consent = systemOf(connect.system).signIn.consent;
    if (!consent || connect.sealed === null) throw new Error("A sign-in without a consent page.");
    const secrets = await openSecrets(connect);
    const endpoint: Endpoint = { ...endpointOf(connect, config), client: secrets.client };
    refuseRefusal(parameters);
    refuseOtherIssuer(parameters, consent.issuer(endpoint));
    const code = parameters.get("code") ?? "";
    if (code === "" || !consent.isFrom(parameters)) {
      throw new SignInFailed("invalid_credentials", "What came back is not an answer of this system.", startAgain);
    }
    const given = { code, verifier: secrets.verifier, redirectUri };
    const way = onBehalfOf(connect, outbound);
    const { grant, obtained } = await ask(consent.exchange(endpoint, given), endpoint, way);
    // The sandbox's client is no setting of ours, so it stays with the grant.
    const ours =
      grant.kind === "refresh token" && connect.instance === "sandbox"
        ? { ...grant, clientId: secrets.client.id, clientSecret: secrets.client.secret }
        : grant;
    const { system, instance, addresses, label, connectionId } = connect;
    const wanted = { system, instance, addresses, label, connectionId, grant: ours, obtained, endpoint };
    const verified = await verify(wanted, way, now());
    return { connectionId: await keep(connect, verified), account: verified.who.identity.label };
  }

  async function openSecrets(connect: Connect): Promise<ConsentSecrets> {
    const sealContext = { table: "connects", row: connect.id, organizationId: connect.organizationId } as const;
    return JSON.parse(await keys.open(store, connect.sealed ?? "", sealContext)) as ConsentSecrets;
  }

  /** In one transaction with its audit row, and only for someone who may still do it. */
  function keep(connect: Connect, verified: Verified): Promise<string> {
    return store.transaction(async (db) => {
      const head = await lockChain(db, connect.organizationId);
      const actor = await requirePersonInProject(db, connect.userId, connect.projectId, connect.keyId, "editor");
      const scope: Scope = {
        db,
        region,
        now,
        actor,
        projectId: connect.projectId,
        requestId: null,
        ip: null,
        announce,
        afterCommit: inTheBackground,
        ifUndone: inTheBackground,
      };
      const id = await saveVerified(scope, connect.projectId, connect.organizationId, verified, keys);
      const details = { system: connect.system, instance: connect.instance, identity: verified.who.identity.label };
      await appendAudit(scope, head, { action: "connection.connected", target: id, details });
      await endConnect(db, connect.id, { state: "connected", connectionId: id });
      return id;
    });
  }

  return {
    begin,
    show,
    open,
    status,
    finish,
    forgetOld: (): Promise<void> =>
      store.transaction((db) =>
        deleteConnectsBefore(db, new Date(now().getTime() - keepHours * 3_600_000).toISOString()),
      ),
  };
}

/** Long enough for every answer of an exchange to come, or not to come. */
const exchangeSeconds = 120;

/** Nobody came back in time, or the server that was exchanging the code did not live to its end. */
function isOver({ state, expiresAt }: Connect, now: Date): boolean {
  const graceSeconds = state === "working" ? exchangeSeconds : 0;
  return (state === "pending" || state === "working") && Date.parse(expiresAt) + graceSeconds * 1000 <= now.getTime();
}

interface ConsentSecrets {
  verifier: string;
  client: OAuthClient;
  /** The system's own page. */
  url: string;
}

const hashOf = (connectId: string): string => hash("sha256", connectId, "hex");

const inTheBackground = () => {
  throw new Error("Nothing runs after a sign-in was kept.");
};
