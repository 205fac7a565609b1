import { Problem } from "../kernel/problem.ts";
import { acsUrl, ownEntityId } from "./saml.ts";
import { loadXml, readMetadataText } from "./saml-xml.ts";
import { invalid, type SettingsWish } from "./sso-settings.ts";

const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

/** A provider's description of itself, as owners download it there. */
export async function readIdpMetadata(
  xml: string,
): Promise<Required<Pick<SettingsWish, "entityId" | "entryPoint" | "certificates">>> {
  const stop = (detail: string) => invalid("metadata_xml", detail);
  const { parseDomFromString, xpath } = await loadXml();
  const document = await parse(xml, parseDomFromString).catch(() => {
    throw stop("This is not an XML document, or one with a document type.");
  });
  const select = (path: string) => xpath.selectElements(document, path);
  const inside = (name: string) => `*[local-name(.)='${name}']`;
  const [entity, another] = select(`//${inside("EntityDescriptor")}`);
  if (!entity || another) throw stop("The metadata must describe exactly one provider.");
  const role = `//${inside("EntityDescriptor")}/${inside("IDPSSODescriptor")}`;
  const services = select(`${role}/${inside("SingleSignOnService")}[@Binding='${redirect}']`);
  const entryPoint = services[0]?.getAttribute("Location") ?? "";
  if (entryPoint === "") throw stop("The metadata names no page for sign-in with the HTTP-Redirect binding.");
  const keys = `${role}/${inside("KeyDescriptor")}[not(@use) or @use='signing']`;
  const certificates = select(`${keys}//${inside("X509Certificate")}`).map((each) => each.textContent ?? "");
  if (certificates.length === 0) throw stop("The metadata holds no certificate for signing.");
  return { entityId: entity.getAttribute("entityID") ?? "", entryPoint, certificates: [...new Set(certificates)] };
}

type Parse = Awaited<ReturnType<typeof loadXml>>["parseDomFromString"];

async function parse(xml: string, parseDomFromString: Parse) {
  const document = await parseDomFromString(readMetadataText(xml));
  if (!document.documentElement) throw new Problem("sso_answer_refused");
  return document;
}

/** Our own, for the provider to read: who asks, and where answers go. Nothing in it is a secret. */
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

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
