import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { requirePersonInProject } from "../../access/callers/require-role.ts";
import type { Announce, Scope } from "../../access/scope.ts";
import type { Db, Store } from "../../store/db.ts";
import { systemOf } from "../../systems/index.ts";
import { type Endpoint, type OAuthClient, SignInFailed } from "../../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../../transport/outbound.ts";
import { saveAccount, type VerifiedAccount, verify } from "../connect.ts";
import { runSignIn } from "../run-sign-in.ts";
import type { DataKeys, Sealed } from "../sealing/data-keys.ts";
import { endpointOf, type VaultConfig } from "../system-addresses.ts";
import { refuseDeclined, refuseOtherIssuer, startAgain } from "./check-redirect.ts";
import { type Connect, endConnect } from "./consents.store.ts";

export interface ConsentParts {
  store: Store;
  keys: DataKeys;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  announce: Announce;
}

/** What is sealed in the row of a consent until the code is exchanged. */
export interface ConsentSecrets {
  verifier: string;
  client: OAuthClient;
  /** The system's own page. */
  url: string;
}

type SealedConsent = Pick<Connect, "id" | "organizationId">;

const sealContextOf = ({ id, organizationId }: SealedConsent) =>
  ({ table: "connects", row: id, organizationId }) as const;

export const sealConsent = (db: Db, keys: DataKeys, connect: SealedConsent, secrets: ConsentSecrets): Promise<Sealed> =>
  keys.seal(db, JSON.stringify(secrets), sealContextOf(connect));

export const openConsent = async (db: Db, keys: DataKeys, connect: Connect): Promise<ConsentSecrets> =>
  JSON.parse(await keys.open(db, connect.sealed ?? "", sealContextOf(connect))) as ConsentSecrets;

/** Exchanges the code of the redirect for a grant, asks the system whose it is, and saves the account. */
export async function exchangeCode(
  connect: Connect,
  parameters: URLSearchParams,
  parts: ConsentParts,
): Promise<{ connectionId: string; account: string; lacks: string | null }> {
  const consent = systemOf(connect.system).signIn.consent;
  if (!consent || connect.sealed === null) throw new Error("A sign-in without a consent page.");
  const secrets = await openConsent(parts.store, parts.keys, connect);
  const endpoint: Endpoint = { ...endpointOf(connect, parts.config), client: secrets.client };
  refuseDeclined(parameters);
  refuseOtherIssuer(parameters, consent.issuer(endpoint));
  const code = parameters.get("code") ?? "";
  if (code === "" || !consent.isFrom(parameters)) {
    throw new SignInFailed("invalid_credentials", "The response is not from this system.", startAgain);
  }
  const given = { code, verifier: secrets.verifier, redirectUri: parts.config.redirectUri };
  const outbound = onBehalfOf(connect, parts.outbound);
  const { grant, obtained } = await runSignIn(consent.exchange(endpoint, given), endpoint, outbound);
  // A sandbox's client is not one of our settings, so it is stored with the grant.
  const ours =
    grant.kind === "refresh token" && connect.instance === "sandbox"
      ? { ...grant, clientId: secrets.client.id, clientSecret: secrets.client.secret }
      : grant;
  const { system, instance, addresses, label, connectionId } = connect;
  const wanted = { system, instance, addresses, label, connectionId, grant: ours, obtained, endpoint };
  const verified = await verify(wanted, outbound, parts.now());
  const { identity, lacks } = verified.who;
  return { connectionId: await save(connect, verified, parts), account: identity.label, lacks };
}

/** Saves the account in one transaction with its audit row, provided that the user may still do so. */
function save(connect: Connect, verified: VerifiedAccount, parts: ConsentParts): Promise<string> {
  return parts.store.transaction(async (db) => {
    const head = await lockChain(db, connect.organizationId);
    const actor = await requirePersonInProject(db, connect.userId, connect.projectId, connect.keyId, "editor");
    const scope: Scope = {
      db,
      region: parts.config.region,
      now: parts.now,
      actor,
      projectId: connect.projectId,
      requestId: null,
      ip: null,
      announce: parts.announce,
      afterCommit: refuseDeferred,
      onRollback: refuseDeferred,
    };
    const id = await saveAccount(scope, connect.projectId, connect.organizationId, verified, parts.keys);
    const details = { system: connect.system, instance: connect.instance, identity: verified.who.identity.label };
    await appendAudit(scope, head, { action: "connection.connected", target: id, details });
    await endConnect(db, connect.id, { state: "connected", connectionId: id });
    return id;
  });
}

const refuseDeferred = () => {
  throw new Error("Nothing runs after a sign-in was kept.");
};
