import type * as SamlXml from "@node-saml/node-saml/lib/xml.js";
import { Problem } from "../kernel/problem.ts";

/** XML from outside, looked at as text first: what a parser could be led astray by does not reach one. */

const decodedBytesMax = 256 * 1024;
/** An honest answer has about ten levels. */
const depthMax = 64;
const base64Shape = /^[A-Za-z0-9+/]+={0,2}$/;

/** Signatures by RSA with SHA-256 or SHA-512, over canonical XML; nothing older, and nothing that needs another key. */
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

/** The text of a SAML response, or a refusal. */
export function readResponseText(wrapped: string): string {
  const base64 = wrapped.replace(/\s+/g, "");
  if (base64.length > decodedBytesMax * 1.4 || !base64Shape.test(base64)) {
    throw samlRefused("The answer is no base64 text.");
  }
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length > decodedBytesMax) throw samlRefused("The answer is too large.");
  const text = utf8Of(bytes);
  refuseMarkup(text);
  for (const [, double, single, bare] of text.matchAll(/Algorithm\s*=\s*(?:"([^"]*)"|'([^']*)'|(.))/g)) {
    // A value that is written in another way than these is not understood, so it is not trusted either.
    if (bare !== undefined || !algorithms.has(double ?? single ?? "")) {
      throw samlRefused("The answer is signed in a way that is not accepted, such as with SHA-1.");
    }
  }
  return text;
}

function utf8Of(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw samlRefused("The answer is not UTF-8.");
  }
}

/** No document types and so no entities, no comments that split a text, no marked sections, no instructions. */
function refuseMarkup(text: string): void {
  if (/<!/.test(text)) throw samlRefused("The answer holds a document type, a comment or a marked section.");
  if (depthOf(text) > depthMax) throw samlRefused("The answer is nested too deep.");
  if (/<\?/.test(text.replace(/^\s*<\?xml[^?<>]*\?>/, ""))) throw samlRefused("The answer holds an instruction.");
}

/** How deep the elements stand in each other, counted by their tags. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash, empty] of text.matchAll(/<(\/?)[^<>]*?(\/?)>/g)) {
    if (slash) depth--;
    else if (!empty) depth++;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** The metadata of a provider: people may comment theirs. */
export function readMetadataText(text: string): string {
  const bare = withoutComments(text).trim();
  if (/<!/.test(bare)) throw samlRefused("A document type is not allowed.");
  return bare.replace(/^<\?xml[^?<>]*\?>/, "");
}

/** Walked once: an expression would look for the end of each comment to the end of the text. */
function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept + text.slice(from);
    kept += text.slice(from, start);
    from = end + 3;
  }
}

/** The library's own reader, so that what is looked at here is what it looks at. Loaded when first needed. */
export const loadXml = (): Promise<typeof SamlXml> => import("@node-saml/node-saml/lib/xml.js");
