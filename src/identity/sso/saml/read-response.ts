import { Problem } from "../../../kernel/problem.ts";
import { elementsOf, localOf, scanXml, type XmlCaps, type XmlElement, XmlRefused } from "./scan-xml.ts";

/** Checks untrusted XML as text first, so that no parser sees dangerous constructs. */

const decodedBytesMax = 256 * 1024;
const base64Shape = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * A legitimate response has about a hundred elements, and one more for each group. The libraries compare elements with
 * each other: measured, 1,000 of them take some 0.1 s of a worker, 4,000 already 1 s.
 */
export const responseCaps: XmlCaps = {
  characters: decodedBytesMax,
  elements: 1000,
  attributesOfElement: 32,
  attributes: 2000,
  namespaces: 200,
  depth: 32,
  valueCharacters: 8 * 1024,
  textCharacters: 128 * 1024,
  comments: "refused",
};

/**
 * Only the scan reads metadata, so more is allowed. ADFS and Entra ID describe each of their claims by three elements
 * and a namespace, some hundreds in all; 5,000 elements take some 10 ms.
 */
export const metadataCaps: XmlCaps = {
  characters: 200_000,
  elements: 5000,
  attributesOfElement: 100,
  attributes: 10_000,
  namespaces: 5000,
  depth: 32,
  valueCharacters: 8 * 1024,
  textCharacters: 64 * 1024,
  comments: "ignored",
};

/**
 * RSA signatures with SHA-256 or SHA-512 over canonical XML; no older algorithms, and none with another kind of key.
 */
const algorithms = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
  "http://www.w3.org/2001/10/xml-exc-c14n#",
  "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
  "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
]);

export const samlRefused = (reason: string): Problem =>
  new Problem("sso_answer_refused", undefined, { more: { reason } });

/** Returns a SAML response as text and as scanned elements. No parser has seen it yet. */
export function readResponse(wrapped: string): { text: string; root: XmlElement } {
  const base64 = wrapped.replace(/\s+/g, "");
  if (base64.length > decodedBytesMax * 1.4 || !base64Shape.test(base64)) {
    throw samlRefused("The response is not base64.");
  }
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > decodedBytesMax) throw samlRefused("The response is too large.");
  const text = utf8Of(bytes);
  const root = scanned(text);
  for (const { attributes } of elementsOf(root)) {
    for (const [name, value] of attributes) {
      // An unknown spelling of an algorithm is refused too.
      if (localOf(name) === "Algorithm" && !algorithms.has(value)) {
        throw samlRefused("The response is signed in a way that is not accepted, such as with SHA-1.");
      }
    }
  }
  return { text, root };
}

function utf8Of(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw samlRefused("The response is not UTF-8.");
  }
}

function scanned(text: string): XmlElement {
  try {
    return scanXml(text, responseCaps);
  } catch (error) {
    if (error instanceof XmlRefused) throw samlRefused(`The response cannot be read. ${error.message}`);
    throw error;
  }
}
