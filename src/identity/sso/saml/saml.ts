import { Problem } from "../../../kernel/problem.ts";
import type { Compute } from "../../../untrusted/compute.ts";
import type { SamlOutput } from "../../../untrusted/tasks/saml-signature.ts";
import type { Proof } from "../proof.ts";
import type { SamlSettings } from "../provider-settings.ts";
import type { Provider } from "../providers.ts";
import { type Expected, readAssertion } from "./check-assertion.ts";
import { readResponse } from "./decode-response.ts";
import { samlRefused } from "./saml-refused.ts";
import { plainXml, type XmlElement } from "./scan-xml.ts";

/** SAML 2.0: a request in the address of the provider's page, and a signed assertion in a form post. */

export const ownEntityId = (baseUrl: string, providerId: string): string =>
  `${baseUrl}/sso/saml/${providerId}/metadata`;
export const acsUrl = (baseUrl: string, providerId: string): string => `${baseUrl}/sso/saml/${providerId}/acs`;

export const expectedOf = (provider: Provider, baseUrl: string, requestId: string): Expected => ({
  providerEntityId: samlSettingsOf(provider).entityId,
  ownEntityId: ownEntityId(baseUrl, provider.id),
  acsUrl: acsUrl(baseUrl, provider.id),
  requestId,
});

export function samlSettingsOf({ settings }: Provider): SamlSettings {
  if (settings.kind !== "saml") throw new Error("This provider does not speak SAML.");
  return settings;
}

/**
 * Verifies a response. Throws a Problem. Anyone who knows a provider's id can send one, so textual checks come first;
 * parsing and signature verification run in another process, within a budget.
 */
export async function samlProofFrom(
  provider: Provider,
  expected: Expected,
  response: string,
  { compute, now }: { compute: Compute; now: Date },
): Promise<{ proof: Proof; assertionId: string; expiresAt: string }> {
  const { text, root } = readResponse(response);
  refuseOther(root, expected);
  const { certificates } = samlSettingsOf(provider);
  // A separate budget: responses from strangers use up nothing that the organization's runs need.
  const computed = await compute
    .run(`${provider.organizationId} sign-in`, "saml", { text, certificates, ...expected })
    .catch(explainExhausted);
  if (computed.kind === "overran") throw samlRefused(`The response takes too much work to check (${computed.reason}).`);
  return readAssertion(assertionIn(computed.value), expected, now);
}

function explainExhausted(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "compute_exhausted") throw error;
  const why =
    "Too many responses of your identity provider are being checked at the moment. Sign in again in a minute.";
  throw new Problem("compute_exhausted", why, error.extras);
}

/** "InResponseTo": only a response to this request reaches a parser. */
function refuseOther({ localName, attributes }: XmlElement, expected: Expected): void {
  if (localName !== "Response") throw samlRefused("The message is not a SAML response.");
  const destination = plainXml(attributes.get("Destination") ?? "");
  if (destination !== "" && destination !== expected.acsUrl)
    throw samlRefused("The response was sent to another address.");
  if (attributes.get("InResponseTo") !== expected.requestId)
    throw samlRefused("The response belongs to another request.");
}

function assertionIn(answered: SamlOutput): Record<string, unknown> {
  if (answered.kind === "declined") throw new Problem("sso_declined");
  if (answered.kind === "refused") throw samlRefused(answered.reason);
  return answered.assertion;
}
