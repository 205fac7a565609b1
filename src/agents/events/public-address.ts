import { isIP } from "node:net";
import { Problem } from "../../kernel/problem.ts";
import { isPublicAddress } from "../../transport/address-guard.ts";

/** Names that no public resolver knows (RFC 2606, 6761 and 6762, and what private networks use). */
const privateNames = /^(?:[^.]+|.*\.(?:localhost|local|internal|intranet|lan|home|test|invalid|example|home\.arpa))$/i;

/** Whether a system on the internet can send events to this address. */
export function isPublicHttps(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const literal = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:") return false;
  return isIP(literal) === 0 ? !privateNames.test(hostname) : isPublicAddress(literal);
}

/** Before anything is asked of the platform: it would accept the address, and then deliver nothing. */
export function refusePrivateAddress(address: string): void {
  if (isPublicHttps(address)) return;
  const origin = URL.canParse(address) ? new URL(address).origin : "The address";
  throw new Problem("address_not_public", `${origin} cannot be reached from the internet by https.`);
}
