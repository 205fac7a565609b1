import { invalid, type SettingsWish } from "../provider-settings.ts";
import { metadataCaps } from "./decode-response.ts";
import { acsUrl, ownEntityId } from "./saml.ts";
import { elementsOf, escapeXml, plainXml, scanXml, type XmlElement, XmlRefused } from "./scan-xml.ts";

const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/** As many as an owner may enter one by one. */
const certificatesMax = 10;

type Described = Required<Pick<SettingsWish, "entityId" | "entryPoint" | "certificates">>;

/**
 * Reads a provider's SAML metadata, which owners download there. A single scan is enough; no XML parser is involved.
 */
export function readIdpMetadata(xml: string): Described {
  try {
    return describedIn(scanXml(xml.trim(), metadataCaps));
  } catch (error) {
    if (error instanceof XmlRefused) throw unusable(`The metadata cannot be read. ${error.message}`);
    throw error;
  }
}

const unusable = (detail: string) => invalid("metadata_xml", detail);

function describedIn(root: XmlElement): Described {
  const [entity, another] = named(elementsOf(root), "EntityDescriptor");
  if (!entity || another) throw unusable("The metadata must describe exactly one provider.");
  const parts = named(entity.children, "IDPSSODescriptor").flatMap(({ children }) => children);
  const service = named(parts, "SingleSignOnService").find((each) => valueIn(each, "Binding") === redirect);
  const entryPoint = service ? valueIn(service, "Location") : "";
  if (entryPoint === "") throw unusable("The metadata names no page for sign-in with the HTTP-Redirect binding.");
  const keys = named(parts, "KeyDescriptor").filter(
    ({ attributes }) => (attributes.get("use") ?? "signing") === "signing",
  );
  const texts = keys.flatMap((key) => named(elementsOf(key), "X509Certificate")).map(({ text }) => plainXml(text));
  const certificates = [...new Set(texts)];
  if (certificates.length === 0) throw unusable("The metadata holds no certificate for signing.");
  if (certificates.length > certificatesMax) {
    throw unusable(`The metadata holds more than ${certificatesMax} certificates for signing.`);
  }
  return { entityId: valueIn(entity, "entityID"), entryPoint, certificates };
}

const named = (elements: Iterable<XmlElement>, name: string): XmlElement[] =>
  [...elements].filter(({ localName }) => localName === name);

const valueIn = ({ attributes }: XmlElement, name: string): string => plainXml(attributes.get(name) ?? "");

/** Our own metadata, for the provider: entity id and the address for responses. None of it is secret. */
export function ownMetadata(baseUrl: string, providerId: string): string {
  const entityId = escapeXml(ownEntityId(baseUrl, providerId));
  const acs = escapeXml(acsUrl(baseUrl, providerId));
  return `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>
    <NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat>
    <AssertionConsumerService index="1" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${acs}"/>
  </SPSSODescriptor>
</EntityDescriptor>
`;
}
