import { Problem } from "../../kernel/problem.ts";
import type { Store } from "../../store/db.ts";
import {
  type Flow,
  keepFlowAnswer,
  refuseReplay,
  stateShape,
  takeFlow,
  takeFlowAnswer,
  takeForAnswer,
} from "./flows.ts";
import { oidcRequestOf, type SsoContext, secretFor } from "./parts.ts";
import type { Proof } from "./proof.ts";
import { findProvider, type Provider } from "./providers.ts";
import { expectedOf, samlProofFrom } from "./saml/saml.ts";
import { auditRefusal, openSsoSession, type SsoOutcome, type Visitor } from "./sign-in.ts";

/** The browser is back from an OpenID provider, with these parameters. */
export async function finishOidc(room: SsoContext, parameters: URLSearchParams, visitor: Visitor): Promise<SsoOutcome> {
  const { store, now, oidc } = room;
  const state = oneOf(parameters, "state");
  const { browser } = visitor;
  if (!stateShape.test(state) || browser === null) throw new Problem("sso_flow_gone");
  const flow = await takeFlow(store, state, browser, now());
  if (!flow) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, flow);
  if (provider.settings.kind !== "oidc") throw new Problem("sso_flow_gone");
  return auditRefusals(room, provider, visitor, async (note) => {
    const secret = await secretFor(room, provider);
    const proof = await oidc.proofFrom(provider, secret, oidcRequestOf(room, state, browser), parameters);
    note(proof);
    return openSsoSession(room, visitor, flow, proof);
  });
}

/** A SAML provider has sent the browser's form. Null: nobody had asked, so nothing was looked at. */
export async function takeSaml(
  room: SsoContext,
  providerId: string,
  form: URLSearchParams,
  visitor: Visitor,
): Promise<{ state: string } | null> {
  const { store, baseUrl, now, compute } = room;
  const state = oneOf(form, "RelayState");
  if (!stateShape.test(state)) {
    // Begun at the provider, with nothing that binds it to this browser: it is begun anew from here.
    const provider = await findProvider(store, providerId);
    if (provider?.settings.kind !== "saml" || !provider.enabled) throw new Problem("sso_not_offered");
    return null;
  }
  const flow = await takeForAnswer(store, state, providerId, now());
  if (!flow || flow.requestId === null) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, flow);
  const expected = expectedOf(provider, baseUrl, flow.requestId);
  return auditRefusals(room, provider, visitor, async (note) => {
    const read = await samlProofFrom(provider, expected, oneOf(form, "SAMLResponse"), { compute, now: now() });
    note(read.proof);
    await store.transaction(async (db) => {
      await refuseReplay(db, providerId, read.assertionId, read.expiresAt);
      await keepFlowAnswer(db, flow, read.proof);
    });
    return { state };
  });
}

/** The browser comes for what the provider answered. */
export async function finishSaml(
  room: SsoContext,
  providerId: string,
  state: string,
  visitor: Visitor,
): Promise<SsoOutcome> {
  const { store, now } = room;
  if (!stateShape.test(state) || visitor.browser === null) throw new Problem("sso_flow_gone");
  const taken = await takeFlowAnswer(store, state, visitor.browser, now());
  if (!taken || taken.flow.providerId !== providerId) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, taken.flow);
  return auditRefusals(room, provider, visitor, (note) => {
    // Kept by takeSaml, as it was proved.
    const proof = JSON.parse(taken.answer) as Proof;
    note(proof);
    return openSsoSession(room, visitor, taken.flow, proof);
  });
}

async function requireEnabled(store: Store, flow: Flow): Promise<Provider> {
  const provider = await findProvider(store, flow.providerId);
  if (!provider?.enabled) throw new Problem("sso_not_offered");
  return provider;
}

/** A refusal of somebody whom a provider has sent is kept in that organization's audit log. */
async function auditRefusals<T>(
  room: SsoContext,
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
    room.log.info({ provider_id: provider.id, code, reason: extras.more?.reason }, "a sign-in was refused");
    if (error.status === 403) await auditRefusal(room, visitor, provider, error, known);
    throw error;
  }
}

/** Said once, or as good as not at all. */
function oneOf(parameters: URLSearchParams, name: string): string {
  const values = parameters.getAll(name);
  return values.length === 1 ? (values[0] ?? "") : "";
}
