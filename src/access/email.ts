import { domainToASCII } from "node:url";

/** An address as it was typed, for sending, and as it is compared. */
export interface Email {
  typed: string;
  key: string;
}

// ASCII only before the @: folding the case of other scripts can make two people's addresses equal. No quoted names,
// no comments, no display names, no dots at the ends or side by side.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
// Anything else in ASCII must not reach domainToASCII: it is made of the URL parser, which drops line breaks, undoes
// percent signs and ends at a slash, so that "a@example.com/…" would be compared as something it is not.
const typedDomainName = /^[a-z0-9.\-\u{a1}-\u{10ffff}]+$/u;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Reads an address, or answers null where it is none that we can send to and compare safely.
 * Dots and plus signs stay: folding them is one provider's habit and would merge distinct people at the others.
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
