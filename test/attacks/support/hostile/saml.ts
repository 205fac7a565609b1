import {
  type AssertionParts,
  type AuthnRequest,
  honestly,
  idpMetadata,
  ownCertificate,
  readRequest,
  responseXml,
} from "../../../support/sign-in/saml-provider.ts";
import type { Deal } from "./deal.ts";
import { type Attack, type HostileText, inAddress, textsFrom } from "./texts.ts";
import type { HostileWorld } from "./world.ts";

/**
 * Single sign-on by SAML: what a stranger posts in the name of a provider, what the provider itself signs, and the metadata that an
 * owner gives. Each response answers a request of its own, so that it is read to the end.
 */

/** What XML may have of text, and of a value. */
const textBytes = 100 * 1024;
const valueBytes = 8 * 1024 - 100;
const formBytes = 500_000;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "?")
    .replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`);

/** Of so many bytes at most, as it stands in XML. An entity that was cut off is left out. */
const inXml = (text: HostileText, bytes: number): string =>
  escaped(text.make(bytes))
    .slice(0, bytes)
    .replace(/&[^;]{0,7}$/, "");

type Build = (request: AuthnRequest, text: HostileText) => string;

const signed =
  (change: (text: HostileText) => Partial<AssertionParts>): Build =>
  (request, text) =>
    responseXml(request, honestly(request, change(text)));

const responses: Record<string, Build> = {
  "the whole document": (_, text) => text.make(textBytes).toWellFormed(),
  "no assertion": (request, text) => responseXml(request, text.make(textBytes).toWellFormed()),
  "an attribute of the response": (request, text) =>
    responseXml(request, "", { attributes: `InResponseTo="${request.id}" Consent="${inXml(text, valueBytes)}"` }),
  "a status": (request, text) =>
    responseXml(request, "", { status: `<samlp:Status><a>${inXml(text, textBytes)}</a></samlp:Status>` }),
  "a signed name": signed((text) => ({ nameId: inXml(text, textBytes) })),
  "a signed e-mail address": signed((text) => ({ email: inXml(text, textBytes) })),
  "a signed issuer": signed((text) => ({ issuer: inXml(text, textBytes) })),
  "a signed audience": signed((text) => ({ audience: inXml(text, textBytes) })),
  "a signed recipient": signed((text) => ({ recipient: inXml(text, valueBytes) })),
  "a signed format": signed((text) => ({ format: inXml(text, valueBytes) })),
  "a signature": (request, text) =>
    responseXml(
      request,
      honestly(request).replace(/<SignatureValue>[^<]*/, () => `<SignatureValue>${inXml(text, textBytes)}`),
    ),
};

const metadata: Record<string, (document: string, text: HostileText) => string> = {
  "the name of the entity": (document, text) =>
    document.replace(/entityID="[^"]*"/, () => `entityID="${inXml(text, valueBytes)}"`),
  "a certificate": (document, text) =>
    document.replace(/(<X509Certificate>)[^<]*/, (_, start: string) => start + inXml(text, 60_000)),
  "an address": (document, text) =>
    document.replace(/Location="[^"]*"\/>\s*<\/IDP/, () => `Location="${inXml(text, valueBytes)}"/></IDP`),
  "a comment": (document, text) => document.replace("as it is downloaded", () => inXml(text, 150_000)),
  "anything inside": (document, text) => document.replace("</IDPSSO", () => `${text.make(100_000)}</IDPSSO`),
};

export function* attacksOnSaml(world: HostileWorld, deal: Deal): Generator<Attack> {
  const path = `/sso/saml/${world.samlProvider}/acs`;
  const form = { method: "POST", path, headers: { "content-type": "application/x-www-form-urlencoded" } };
  for (const [place, build] of Object.entries(responses)) {
    for (const text of textsFrom(deal)) {
      const prepare = async () => {
        const { location } = await world.exchange({
          method: "GET",
          path: `/sso/start?provider=${world.samlProvider}`,
          headers: {},
        });
        const request = readRequest(location);
        const response = Buffer.from(build(request, text)).toString("base64");
        return { body: `${new URLSearchParams({ SAMLResponse: response, RelayState: request.relayState })}` };
      };
      yield { name: `SAML response, ${place}: ${text.name}`, ...form, prepare };
    }
  }
  for (const name of ["SAMLResponse", "RelayState", "unknown", ""]) {
    for (const text of textsFrom(deal)) {
      const body = `${name === "" ? "" : `${name}=`}${inAddress(text, formBytes)}`;
      yield { name: `SAML form, ${name}: ${text.name}`, ...form, body };
    }
  }
  const document = idpMetadata(ownCertificate().pem);
  const update = {
    method: "POST",
    path: `/latest/single_sign_on/${world.changedSamlProvider}/update`,
    headers: world.headers,
  };
  for (const [place, write] of Object.entries(metadata)) {
    for (const text of textsFrom(deal)) {
      const body = JSON.stringify({ metadata_xml: write(document, text).slice(0, 199_000) });
      yield { name: `SAML metadata, ${place}: ${text.name}`, ...update, body };
    }
  }
}
