import { inflateRawSync } from "node:zlib";
import { signXml } from "@node-saml/node-saml/lib/xml.js";
import { newCertificate, type TestCertificate } from "./certificate.ts";

/** The contents of an assertion; each part can be wrong. */
export interface AssertionParts {
  id: string;
  issuer: string;
  nameId: string;
  format: string;
  method: string;
  recipient: string;
  inResponseTo: string | null;
  audience: string;
  notBefore: Date;
  notOnOrAfter: Date;
  authnInstant: Date | null;
  email: string;
}

/** The contents of the request in an address. */
export interface AuthnRequest {
  id: string;
  acsUrl: string;
  issuer: string;
  relayState: string;
  xml: string;
}

export const entityId = "https://idp.example.com/saml";
export const entryPoint = "https://idp.example.com/saml/sso";

let certificate: TestCertificate | null = null;
let another: TestCertificate | null = null;
/** One for all tests of a file: creating a key takes a while. */
export const ownCertificate = (): TestCertificate => {
  certificate ??= newCertificate();
  return certificate;
};
export const otherCertificate = (): TestCertificate => {
  another ??= newCertificate();
  return another;
};

export function readRequest(location: string): AuthnRequest {
  const { searchParams } = new URL(location);
  const xml = inflateRawSync(Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64")).toString();
  const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? "";
  return {
    id: attribute("ID"),
    acsUrl: attribute("AssertionConsumerServiceURL"),
    issuer: /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? "",
    relayState: searchParams.get("RelayState") ?? "",
    xml,
  };
}

let count = 0;

export const honest = (request: AuthnRequest): AssertionParts => ({
  id: `_assertion${count++}`,
  issuer: entityId,
  nameId: "subject-1",
  format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  method: "urn:oasis:names:tc:SAML:2.0:cm:bearer",
  recipient: request.acsUrl,
  inResponseTo: request.id,
  audience: request.issuer,
  notBefore: new Date(Date.now() - 5000),
  notOnOrAfter: new Date(Date.now() + 300_000),
  authnInstant: new Date(),
  email: "ada@example.com",
});

export function assertionXml(parts: AssertionParts): string {
  const until = parts.notOnOrAfter.toISOString();
  const answers = parts.inResponseTo === null ? "" : ` InResponseTo="${parts.inResponseTo}"`;
  const statement =
    parts.authnInstant === null
      ? ""
      : `<saml:AuthnStatement AuthnInstant="${parts.authnInstant.toISOString()}" SessionIndex="_s"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`;
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.id}" Version="2.0" IssueInstant="${new Date().toISOString()}"><saml:Issuer>${parts.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${parts.format}">${parts.nameId}</saml:NameID><saml:SubjectConfirmation Method="${parts.method}"><saml:SubjectConfirmationData Recipient="${parts.recipient}" NotOnOrAfter="${until}"${answers}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${parts.notBefore.toISOString()}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>${statement}<saml:AttributeStatement><saml:Attribute Name="email"><saml:AttributeValue>${parts.email}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`;
}

type Algorithm = "sha1" | "sha256" | "sha512";

/** Signs the assertion that is the document, or the first one within it. */
export function signAssertion(xml: string, by = ownCertificate(), algorithm: Algorithm = "sha256"): string {
  return signElement(xml, "Assertion", by, algorithm);
}

/** The signed assertion of an honest provider, except for these changes. */
export const honestly = (request: AuthnRequest, changes: Partial<AssertionParts> = {}): string =>
  signAssertion(assertionXml({ ...honest(request), ...changes }));

export function signElement(xml: string, name: string, by = ownCertificate(), algorithm: Algorithm = "sha256"): string {
  const path = `//*[local-name(.)='${name}']`;
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: "after" } as const;
  return signXml(xml, path, location, {
    privateKey: by.privatePem,
    signatureAlgorithm: algorithm,
    digestAlgorithm: algorithm,
  });
}

export const status = (code: string): string =>
  `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}"/></samlp:Status>`;

/** The response around an assertion. */
export const responseXml = (
  request: AuthnRequest,
  inside: string,
  more: { attributes?: string; status?: string; before?: string } = {},
): string =>
  `${more.before ?? ""}<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_response${count++}" Version="2.0" IssueInstant="${new Date().toISOString()}" ${more.attributes ?? `Destination="${request.acsUrl}" InResponseTo="${request.id}"`}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${entityId}</saml:Issuer>${more.status ?? status("Success")}${inside}</samlp:Response>`;

export const encoded = (xml: string): string => Buffer.from(xml).toString("base64");

export const idpMetadata = (pem: string): string => `<?xml version="1.0"?>
<!-- as it is downloaded -->
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>
${pem.replace(/-----[^-]+-----/g, "").trim()}
    </X509Certificate></X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${entryPoint}/post"/>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${entryPoint}"/>
  </IDPSSODescriptor>
</EntityDescriptor>`;
