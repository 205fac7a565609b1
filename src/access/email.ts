import { domainToASCII } from "node:url";

/** An address as it was typed, for sending, and as it is compared. */
export interface Email {
  typed: string;
  key: string;
}

// ASCII only before the @: folding the case of other scripts can make two people's addresses equal. No quoted names,
// no comments, no display names, no dots at the ends or side by side.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
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
  const ascii = /^[a-z0-9.-]+$/.test(typedDomain) ? typedDomain : domainToASCII(typedDomain);
  const key = `${local.toLowerCase()}@${ascii}`;
  return domainName.test(ascii) && key.length <= 254 ? { typed, key } : null;
}
