import { domainToASCII } from "node:url";

/** An address as typed, for sending, and its key, for comparing. */
export interface Email {
  typed: string;
  key: string;
}

// ASCII only before the @: case folding in other scripts can make two people's addresses equal. Quoted names, comments,
// display names, and dots at the ends or in a row are refused.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
// Other ASCII characters must not reach domainToASCII: it uses the URL parser, which drops line breaks, decodes percent
// signs and stops at a slash, so "a@example.com/…" would be compared as another address.
const typedDomainName = /^[a-z0-9.\-\u{a1}-\u{10ffff}]+$/u;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Parses an address. Returns null for one that cannot be sent to and compared safely. Dots and plus signs stay: folding
 * them is one provider's convention and would merge distinct people at other providers.
 */
export function readEmail(text: string): Email | null {
  const typed = text.trim();
  const at = typed.lastIndexOf("@");
  const local = typed.slice(0, at);
  if (at < 1 || local.length > 64 || typed.length > 254 || !localPart.test(local)) return null;
  const typedDomain = typed.slice(at + 1).toLowerCase();
  if (!typedDomainName.test(typedDomain)) return null;
  const ascii = /^[a-z0-9.-]+$/.test(typedDomain) ? typedDomain : domainToASCII(typedDomain);
  const key = `${local.toLowerCase()}@${ascii}`;
  return domainName.test(ascii) && key.length <= 254 ? { typed, key } : null;
}
