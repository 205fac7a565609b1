import { samlRefused } from "./saml-refused.ts";
import { scanXml, type XmlCaps, type XmlElement, XmlRefused } from "./scan-xml.ts";
import { refuseOtherAlgorithms } from "./signature-algorithms.ts";

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
  refuseOtherAlgorithms(root);
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
