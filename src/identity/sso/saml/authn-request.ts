import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { Expected } from "./check-assertion.ts";
import { escapeXml } from "./scan-xml.ts";

/** The authentication request in the address of the provider's page (HTTP-Redirect binding). */

/** An XML ID begins with a letter or an underscore. */
export const newRequestId = (): string => `_${randomBytes(20).toString("hex")}`;

/** With `fresh`, the person has to authenticate again. */
export function samlRequestUrl(
  entryPoint: string,
  expected: Expected,
  more: { relayState: string; fresh: boolean; now: Date },
): string {
  const attributes = {
    ID: expected.requestId,
    Version: "2.0",
    IssueInstant: more.now.toISOString(),
    ProtocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
    Destination: entryPoint,
    ...(more.fresh ? { ForceAuthn: "true" } : {}),
    AssertionConsumerServiceURL: expected.acsUrl,
  };
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  const request = `<?xml version="1.0"?><samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"${written.join("")}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${escapeXml(expected.ownEntityId)}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`;
  const address = new URL(entryPoint);
  address.searchParams.set("SAMLRequest", deflateRawSync(request).toString("base64"));
  address.searchParams.set("RelayState", more.relayState);
  return address.href;
}
