import { Problem } from "../../kernel/problem.ts";
import type { Store } from "../../store/db.ts";
import { oidcRequestOf, type SsoContext } from "./context.ts";
import { auditRefusal, openSsoSession, type SsoCaller, type SsoOutcome } from "./open-sso-session.ts";
import type { Proof } from "./proof.ts";
import { findProvider, openClientSecret, type Provider } from "./providers.ts";
import { expectedOf, samlProofFrom } from "./saml/saml.ts";
import {
  claimFlowForResponse,
  type Flow,
  refuseReplay,
  saveFlowProof,
  stateShape,
  takeFlow,
  takeFlowProof,
} from "./sign-in-flows.ts";

/** Completes a sign-in when the browser returns from an OpenID provider with these parameters. */
export async function finishOidc(
  context: SsoContext,
  parameters: URLSearchParams,
  caller: SsoCaller,
): Promise<SsoOutcome> {
  const { store, now, oidc } = context;
  const state = oneOf(parameters, "state");
  const { browser } = caller;
  if (!stateShape.test(state) || browser === null) throw new Problem("sso_flow_gone");
  const flow = await takeFlow(store, state, browser, now());
  if (!flow) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, flow);
  if (provider.settings.kind !== "oidc") throw new Problem("sso_flow_gone");
  return auditRefusals(context, provider, caller, async (note) => {
    const secret = await openClientSecret(context, provider);
    const proof = await oidc.proofFrom(provider, secret, oidcRequestOf(context, state, browser), parameters);
    note(proof);
    return openSsoSession(context, caller, flow, proof);
  });
}

/** Accepts a SAML response from a form post. Returns null for an unsolicited response, without reading it. */
export async function takeSaml(
  context: SsoContext,
  providerId: string,
  form: URLSearchParams,
  caller: SsoCaller,
): Promise<{ state: string } | null> {
  const { store, baseUrl, now, compute } = context;
  const state = oneOf(form, "RelayState");
  if (!stateShape.test(state)) {
    // The sign-in began at the provider, so nothing binds it to this browser. It is started again from here.
    const provider = await findProvider(store, providerId);
    if (provider?.settings.kind !== "saml" || !provider.enabled) throw new Problem("sso_not_offered");
    return null;
  }
  const flow = await claimFlowForResponse(store, state, providerId, now());
  if (!flow || flow.requestId === null) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, flow);
  const expected = expectedOf(provider, baseUrl, flow.requestId);
  return auditRefusals(context, provider, caller, async (note) => {
    const read = await samlProofFrom(provider, expected, oneOf(form, "SAMLResponse"), { compute, now: now() });
    note(read.proof);
    await store.transaction(async (db) => {
      await refuseReplay(db, providerId, read.assertionId, read.expiresAt);
      await saveFlowProof(db, flow, read.proof);
    });
    return { state };
  });
}

/** Completes a SAML sign-in when the browser fetches the result. */
export async function finishSaml(
  context: SsoContext,
  providerId: string,
  state: string,
  caller: SsoCaller,
): Promise<SsoOutcome> {
  const { store, now } = context;
  if (!stateShape.test(state) || caller.browser === null) throw new Problem("sso_flow_gone");
  const taken = await takeFlowProof(store, state, caller.browser, now());
  if (!taken || taken.flow.providerId !== providerId) throw new Problem("sso_flow_gone");
  const provider = await requireEnabled(store, taken.flow);
  return auditRefusals(context, provider, caller, (note) => {
    // `takeSaml` stored it after verification.
    const proof = JSON.parse(taken.answer) as Proof;
    note(proof);
    return openSsoSession(context, caller, taken.flow, proof);
  });
}

async function requireEnabled(store: Store, flow: Flow): Promise<Provider> {
  const provider = await findProvider(store, flow.providerId);
  if (!provider?.enabled) throw new Problem("sso_not_offered");
  return provider;
}

/** Writes a refusal to the audit log of the provider's organization. */
async function auditRefusals<T>(
  context: SsoContext,
  provider: Provider,
  caller: SsoCaller,
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
    context.log.info({ provider_id: provider.id, code, reason: extras.more?.reason }, "a sign-in was refused");
    if (error.status === 403) await auditRefusal(context, caller, provider, error, known);
    throw error;
  }
}

/** Returns a parameter that occurs exactly once, otherwise an empty text. */
function oneOf(parameters: URLSearchParams, name: string): string {
  const values = parameters.getAll(name);
  return values.length === 1 ? (values[0] ?? "") : "";
}
