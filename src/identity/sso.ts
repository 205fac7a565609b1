import { authenticate } from "../access/authenticate.ts";
import { readEmail } from "../access/email.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Outbound } from "../transport/outbound.ts";
import type { DataKeys } from "../vault/data-keys.ts";
import { domainOf, type ResolveTxt } from "./domains.ts";
import { listIdentitiesOf, type Proof } from "./identities.ts";
import { createOidc } from "./oidc.ts";
import { acsUrl, expectedOf, newRequestId, ownEntityId, samlAddressFor, samlProofFrom } from "./saml.ts";
import { ownMetadata } from "./saml-metadata.ts";
import { type Check, examineProvider } from "./sso-examine.ts";
import {
  beginFlow,
  type Flow,
  keepFlowAnswer,
  refuseReplay,
  secretOf,
  stateShape,
  takeFlow,
  takeFlowAnswer,
  takeForAnswer,
} from "./sso-flows.ts";
import { findProvider, findProviderFor, openClientSecret, type Provider } from "./sso-providers.ts";
import { auditRefusal, letIn, type SignInPorts, type SsoEnd, type Visitor } from "./sso-sign-in.ts";

export type { SsoEnd, Visitor } from "./sso-sign-in.ts";

/** What somebody asks for who wants to be sent to their provider. */
export interface SsoWish {
  providerId: string | null;
  email: string | null;
  /** They are signed in, and are to show once more who they are. */
  confirm: boolean;
  nextPath: string | null;
}

export interface Sso {
  /** Where the browser goes, and what its cookie is to hold meanwhile. */
  begin(wish: SsoWish, visitor: Visitor): Promise<{ location: string; browser: string }>;
  /** The browser is back from an OpenID provider, with these parameters. */
  finishOidc(parameters: URLSearchParams, visitor: Visitor): Promise<SsoEnd>;
  /** A SAML provider has sent the browser's form. Null: nobody had asked, so nothing was looked at. */
  takeSaml(providerId: string, form: URLSearchParams, visitor: Visitor): Promise<{ state: string } | null>;
  /** The browser comes for what the provider answered. */
  finishSaml(providerId: string, state: string, visitor: Visitor): Promise<SsoEnd>;
  /** What a SAML provider is told about us. */
  metadataFor(providerId: string): Promise<string>;
  addressesOf(provider: Provider): { redirect_uri: string } | { entity_id: string; acs_url: string };
  /** Asks the provider, and says what it finds. */
  examine(provider: Provider): Promise<Check[]>;
  keys: DataKeys;
  privateOrigins: readonly string[];
  resolveTxt: ResolveTxt;
}

export interface SsoParts extends SignInPorts {
  keys: DataKeys;
  outbound: Outbound;
  /** Origins in private networks that the operator allows. */
  privateOrigins: readonly string[];
  baseUrl: string;
  resolveTxt: ResolveTxt;
  log: Log;
}

export function createSso(parts: SsoParts): Sso {
  const { store, keys, privateOrigins, baseUrl, now, log } = parts;
  const oidc = createOidc(parts);
  const redirectUri = `${baseUrl}/sso/oidc/callback`;

  async function begin(wish: SsoWish, visitor: Visitor): Promise<{ location: string; browser: string }> {
    const session = wish.confirm ? await sessionOf(visitor) : null;
    const provider = await chooseProvider(wish, session);
    const { kind } = provider.settings;
    const requestId = kind === "saml" ? newRequestId() : null;
    const { nextPath } = wish;
    const flow = { providerId: provider.id, browser: visitor.browser, requestId, nextPath };
    const fresh = session !== null;
    const begun = await beginFlow(store, { ...flow, sessionId: session?.sessionId ?? null }, now());
    const { state, browser } = begun;
    const location =
      requestId !== null
        ? await samlAddressFor(provider, expectedOf(provider, baseUrl, requestId), state, fresh)
        : await oidc.addressFor(provider, await secretFor(provider), questionOf(state, browser), {
            fresh,
            hint: readEmail(wish.email ?? "")?.typed ?? null,
          });
    return { location, browser };
  }

  /** The one that is named, that speaks for the address, or that the person of the session comes from. */
  async function chooseProvider(wish: SsoWish, session: SessionOf | null): Promise<Provider> {
    const email = wish.email === null ? null : readEmail(wish.email);
    let provider: Provider | null = null;
    if (wish.providerId !== null) provider = await findProvider(store, wish.providerId);
    else if (email) provider = await findProviderFor(store, domainOf(email.key));
    else if (session) provider = await providerOfPerson(session.userId);
    const isTheirs = session === null || provider?.organizationId === session.organizationId;
    if (!provider?.enabled || !isTheirs) throw new Problem("sso_not_offered");
    return provider;
  }

  async function providerOfPerson(userId: string): Promise<Provider | null> {
    for (const identity of await listIdentitiesOf(store, userId)) {
      const provider = await findProvider(store, identity.providerId);
      if (provider?.enabled) return provider;
    }
    return null;
  }

  async function sessionOf({ sessionHash }: Visitor): Promise<SessionOf> {
    if (sessionHash === null) throw new Problem("session_ended");
    const { actor } = await authenticate(store, { by: "session", keyHash: sessionHash }, null, now());
    return { sessionId: actor.keyId, userId: actor.userId, organizationId: actor.organizationId };
  }

  const secretFor = (provider: Provider) => openClientSecret(store, provider, keys);

  const questionOf = (state: string, browser: string) => ({
    redirectUri,
    state,
    nonce: secretOf("nonce", state, browser),
    verifier: secretOf("verifier", state, browser),
  });

  async function requireEnabled(flow: Flow): Promise<Provider> {
    const provider = await findProvider(store, flow.providerId);
    if (!provider?.enabled) throw new Problem("sso_not_offered");
    return provider;
  }

  /** A refusal of somebody whom a provider has sent is kept in that organization's audit log. */
  async function orAudit<T>(
    provider: Provider,
    visitor: Visitor,
    work: (note: (proof: Proof) => void) => Promise<T>,
  ): Promise<T> {
    let known: Proof | null = null;
    try {
      return await work((proof) => {
        known = proof;
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, extras } = error;
      log.info({ provider_id: provider.id, code, reason: extras.more?.reason }, "a sign-in was refused");
      if (error.status === 403) await auditRefusal(parts, visitor, provider, error, known);
      throw error;
    }
  }

  return {
    keys,
    privateOrigins,
    resolveTxt: parts.resolveTxt,
    begin,
    async finishOidc(parameters, visitor) {
      const state = oneOf(parameters, "state");
      const { browser } = visitor;
      if (!stateShape.test(state) || browser === null) throw new Problem("sso_flow_gone");
      const flow = await takeFlow(store, state, browser, now());
      if (!flow) throw new Problem("sso_flow_gone");
      const provider = await requireEnabled(flow);
      if (provider.settings.kind !== "oidc") throw new Problem("sso_flow_gone");
      return orAudit(provider, visitor, async (note) => {
        const question = questionOf(state, browser);
        const proof = await oidc.proofFrom(provider, await secretFor(provider), question, parameters);
        note(proof);
        return letIn(parts, visitor, flow, proof);
      });
    },
    async takeSaml(providerId, form, visitor) {
      const state = oneOf(form, "RelayState");
      const response = oneOf(form, "SAMLResponse");
      if (!stateShape.test(state)) {
        // Begun at the provider, with nothing that binds it to this browser: it is begun anew from here.
        const provider = await findProvider(store, providerId);
        if (provider?.settings.kind !== "saml" || !provider.enabled) throw new Problem("sso_not_offered");
        return null;
      }
      const flow = await takeForAnswer(store, state, providerId, now());
      if (!flow || flow.requestId === null) throw new Problem("sso_flow_gone");
      const provider = await requireEnabled(flow);
      const expected = expectedOf(provider, baseUrl, flow.requestId);
      return orAudit(provider, visitor, async (note) => {
        const { proof, assertionId, expiresAt } = await samlProofFrom(provider, expected, response, now());
        note(proof);
        await store.transaction(async (db) => {
          await refuseReplay(db, providerId, assertionId, expiresAt);
          await keepFlowAnswer(db, flow, proof);
        });
        return { state };
      });
    },
    async finishSaml(providerId, state, visitor) {
      if (!stateShape.test(state) || visitor.browser === null) throw new Problem("sso_flow_gone");
      const taken = await takeFlowAnswer(store, state, visitor.browser, now());
      if (!taken || taken.flow.providerId !== providerId) throw new Problem("sso_flow_gone");
      const provider = await requireEnabled(taken.flow);
      return orAudit(provider, visitor, (note) => {
        // Kept by takeSaml, as it was proved.
        const proof = JSON.parse(taken.answer) as Proof;
        note(proof);
        return letIn(parts, visitor, taken.flow, proof);
      });
    },
    async metadataFor(providerId) {
      const provider = await findProvider(store, providerId);
      if (provider?.settings.kind !== "saml") throw new Problem("provider_not_found");
      return ownMetadata(baseUrl, providerId);
    },
    addressesOf: (provider) =>
      provider.settings.kind === "oidc"
        ? { redirect_uri: redirectUri }
        : { entity_id: ownEntityId(baseUrl, provider.id), acs_url: acsUrl(baseUrl, provider.id) },
    examine: async (provider) => examineProvider(provider, () => secretFor(provider), oidc, now()),
  };
}

interface SessionOf {
  sessionId: string;
  userId: string;
  organizationId: string;
}

/** Said once, or as good as not at all. */
function oneOf(parameters: URLSearchParams, name: string): string {
  const values = parameters.getAll(name);
  return values.length === 1 ? (values[0] ?? "") : "";
}
