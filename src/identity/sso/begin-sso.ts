import { authenticate } from "../../access/callers/authenticate.ts";
import { readEmail } from "../../access/email.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Store } from "../../store/db.ts";
import { oidcRequestOf, type SsoContext } from "./context.ts";
import { domainOf } from "./domains.ts";
import { listIdentitiesOf } from "./identities.ts";
import type { SsoCaller } from "./open-sso-session.ts";
import { findProvider, findProviderOfDomain, openClientSecret, type Provider } from "./providers.ts";
import { newRequestId, samlRequestUrl } from "./saml/authn-request.ts";
import { expectedOf, samlSettingsOf } from "./saml/saml.ts";
import { beginFlow } from "./sign-in-flows.ts";

/** The request to begin a sign-in at a provider. */
export interface SsoWish {
  providerId: string | null;
  email: string | null;
  /** The person is signed in and has to confirm their identity. */
  confirm: boolean;
  nextPath: string | null;
}

interface CurrentSession {
  sessionId: string;
  userId: string;
  organizationId: string;
}

/** Returns where to send the browser, and the value of its cookie. */
export async function beginSso(
  context: SsoContext,
  wish: SsoWish,
  caller: SsoCaller,
): Promise<{ location: string; browser: string }> {
  const { store, baseUrl, now, oidc } = context;
  const session = wish.confirm ? await requireSession(context, caller) : null;
  const provider = await chooseProvider(store, wish, session);
  const requestId = provider.settings.kind === "saml" ? newRequestId() : null;
  const { state, browser } = await beginFlow(
    store,
    {
      providerId: provider.id,
      browser: caller.browser,
      requestId,
      sessionId: session?.sessionId ?? null,
      nextPath: wish.nextPath,
    },
    now(),
  );
  const fresh = session !== null;
  if (requestId !== null) {
    const expected = expectedOf(provider, baseUrl, requestId);
    const { entryPoint } = samlSettingsOf(provider);
    return { location: samlRequestUrl(entryPoint, expected, { relayState: state, fresh, now: now() }), browser };
  }
  const hint = readEmail(wish.email ?? "")?.typed ?? null;
  const request = oidcRequestOf(context, state, browser);
  return {
    location: await oidc.addressFor(provider, await openClientSecret(context, provider), request, { fresh, hint }),
    browser,
  };
}

/** The provider that is named, that is responsible for the address, or through which the session's person signed in. */
async function chooseProvider(store: Store, wish: SsoWish, session: CurrentSession | null): Promise<Provider> {
  const email = wish.email === null ? null : readEmail(wish.email);
  let provider: Provider | null = null;
  if (wish.providerId !== null) provider = await findProvider(store, wish.providerId);
  else if (email) provider = await findProviderOfDomain(store, domainOf(email.key));
  else if (session) provider = await findProviderOfPerson(store, session.userId);
  const isTheirs = session === null || provider?.organizationId === session.organizationId;
  if (!provider?.enabled || !isTheirs) throw new Problem("sso_not_offered");
  return provider;
}

async function findProviderOfPerson(store: Store, userId: string): Promise<Provider | null> {
  for (const identity of await listIdentitiesOf(store, userId)) {
    const provider = await findProvider(store, identity.providerId);
    if (provider?.enabled) return provider;
  }
  return null;
}

async function requireSession({ store, now }: SsoContext, { sessionHash }: SsoCaller): Promise<CurrentSession> {
  if (sessionHash === null) throw new Problem("session_ended");
  const { actor } = await authenticate(store.reserve, { by: "session", keyHash: sessionHash }, null, now());
  return { sessionId: actor.keyId, userId: actor.userId, organizationId: actor.organizationId };
}
