import { randomBytes } from "node:crypto";
import type { SamlConfig } from "@node-saml/node-saml";
import { Problem } from "../kernel/problem.ts";
import type { Proof } from "./proof.ts";
import { type Expected, readAssertion } from "./saml-assertion.ts";
import { loadXml, readResponseText, samlRefused } from "./saml-xml.ts";
import { flowMinutes } from "./sso-flows.ts";
import type { Provider } from "./sso-providers.ts";
import type { SamlSettings } from "./sso-settings.ts";

/** SAML 2.0: a request in the address of the provider's page, and a signed assertion in a form that comes back. */

const skewMilliseconds = 60_000;
const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";

/** An XML ID begins with a letter or an underscore. */
export const newRequestId = (): string => `_${randomBytes(20).toString("hex")}`;

export const ownEntityId = (baseUrl: string, providerId: string): string =>
  `${baseUrl}/sso/saml/${providerId}/metadata`;
export const acsUrl = (baseUrl: string, providerId: string): string => `${baseUrl}/sso/saml/${providerId}/acs`;

export const expectedOf = (provider: Provider, baseUrl: string, requestId: string): Expected => ({
  providerEntityId: settingsOf(provider).entityId,
  ownEntityId: ownEntityId(baseUrl, provider.id),
  acsUrl: acsUrl(baseUrl, provider.id),
  requestId,
});

function settingsOf({ settings }: Provider): SamlSettings {
  if (settings.kind !== "saml") throw new Error("This provider does not speak SAML.");
  return settings;
}

function optionsFor(provider: Provider, expected: Expected, fresh: boolean): SamlConfig {
  const { entryPoint, certificates, entityId } = settingsOf(provider);
  const askedAt = new Date().toISOString();
  return {
    entryPoint,
    idpCert: certificates,
    idpIssuer: entityId,
    issuer: expected.ownEntityId,
    audience: expected.ownEntityId,
    callbackUrl: expected.acsUrl,
    wantAssertionsSigned: true,
    // Most providers sign the assertion alone; one that signs the answer alone is refused.
    wantAuthnResponseSigned: false,
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    acceptedClockSkewMs: skewMilliseconds,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    forceAuthn: fresh,
    generateUniqueId: () => expected.requestId,
    // ValidateInResponseTo.always, spelled out so that the library need not be loaded for it.
    validateInResponseTo: "always" as NonNullable<SamlConfig["validateInResponseTo"]>,
    requestIdExpirationPeriodMs: flowMinutes * 60_000,
    // Our store knows the one request that is answered here, and that it was not answered before.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === expected.requestId ? askedAt : null),
      removeAsync: async () => null,
    },
  };
}

/** Loaded when the first person signs in: it is large, and most processes never need it. */
const load = () => import("@node-saml/node-saml");

export async function samlAddressFor(
  provider: Provider,
  expected: Expected,
  relayState: string,
  fresh: boolean,
): Promise<string> {
  const { SAML } = await load();
  return new SAML(optionsFor(provider, expected, fresh)).getAuthorizeUrlAsync(relayState, undefined, {});
}

/** Checks the answer, or throws a Problem. What it is taken from is the signed text, never the document round it. */
export async function samlProofFrom(
  provider: Provider,
  expected: Expected,
  response: string,
  now: Date,
): Promise<{ proof: Proof; assertionId: string; expiresAt: string }> {
  try {
    const text = readResponseText(response);
    await refuseShape(text, expected);
    const { SAML } = await load();
    const saml = new SAML(optionsFor(provider, expected, false));
    const SAMLResponse = Buffer.from(text).toString("base64");
    const { profile, loggedOut } = await saml.validatePostResponseAsync({ SAMLResponse });
    const read = profile?.getAssertion?.().Assertion;
    if (loggedOut || typeof read !== "object" || read === null) throw samlRefused("The answer holds no assertion.");
    return readAssertion(read, expected, now);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (!(error instanceof Error)) throw samlRefused("The answer cannot be read.");
    if (error.name === "SamlStatusError" || "xmlStatus" in error) throw new Problem("sso_declined");
    // The library's sentences may repeat what stands in the answer, so they are cut short and stay out of the page.
    throw samlRefused(`The answer was refused: ${error.message.replace(/[^\x20-\x7e]/g, "?").slice(0, 120)}`);
  }
}

/** One answer, one assertion in its place, addressed to us: every known way to wrap another one round it breaks this. */
async function refuseShape(text: string, expected: Expected): Promise<void> {
  const { parseDomFromString, xpath } = await loadXml();
  const document = await parseDomFromString(text);
  const root = document.documentElement;
  if (root?.localName !== "Response" || root.namespaceURI !== protocol) throw samlRefused("The answer is no response.");
  const destination = root.getAttribute("Destination");
  if (destination && destination !== expected.acsUrl) throw samlRefused("The answer was sent to somebody else.");
  if (root.getAttribute("InResponseTo") !== expected.requestId) throw samlRefused("The answer is to another request.");
  const named = (name: string) => xpath.selectElements(document, `//*[local-name(.)='${name}']`);
  if (named("EncryptedAssertion").length > 0) {
    throw samlRefused("The assertion is encrypted; switch that off at the provider, TLS protects it already.");
  }
  const [status] = named("StatusCode");
  if (status && status.getAttribute("Value") !== "urn:oasis:names:tc:SAML:2.0:status:Success") {
    throw new Problem("sso_declined");
  }
  const assertions = named("Assertion");
  if (assertions.length !== 1 || assertions[0]?.parentNode !== root) {
    throw samlRefused("The answer has not exactly one assertion.");
  }
  const ids = xpath.selectAttributes(document, "//@*[local-name(.)='ID' or local-name(.)='Id' or local-name(.)='id']");
  if (new Set(ids.map((id) => id.value)).size !== ids.length) throw samlRefused("Two elements have the same ID.");
}
