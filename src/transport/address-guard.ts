import { type LookupAddress, lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import type { Use } from "./private-hosts.ts";

/** Which addresses requests may go to: public ones only, unless the operator allows others. */

/** Returns all addresses of a name, as the machine's resolver knows them. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** The only reason that the user who chose the address learns. */
export const notCalled = "Its name is not known, or it leads to an address that is not public.";

/** Refused before any connection. The message is for the user who chose the address; `detail` is for the log only. */
export class AddressBlocked extends Error {
  override readonly name = "AddressBlocked";
  readonly detail: string;

  constructor(detail: string) {
    super(notCalled);
    this.detail = detail;
  }
}

/** The settings in which an operator lists origins in private networks, one per use. */
export const privateHostSettings = {
  steps: "SIGNALBOX_PRIVATE_HOSTS_STEPS",
  webhooks: "SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS",
  models: "SIGNALBOX_PRIVATE_HOSTS_MODELS",
  identity: "SIGNALBOX_PRIVATE_HOSTS_IDENTITY",
} as const satisfies Record<Use, string>;

/**
 * The message for an address that cannot be used. Unknown names and names in private networks get the same sentence, so
 * that users cannot probe which ones exist there. The log has the details.
 */
export const addressRefused = (use: Use): string =>
  `This address cannot be used: its name is not known, or it is not a public address. An operator can allow an address in a private network with ${privateHostSettings[use]}.`;

/** Whether an error, or one of its causes, says that the address itself was refused. */
export function isAddressRefused(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (cause instanceof AddressBlocked || ("code" in cause && unknownName.has(String(cause.code)))) return true;
  }
  return false;
}

const unknownName = new Set(["ENOTFOUND", "ENODATA", "EAI_AGAIN", "EAI_NONAME", "EAI_NODATA", "EAI_FAIL"]);

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
/** Looks public, but answers every machine of one cloud with that machine's own settings. */
const metadata = new Set(["168.63.129.16"]);

/**
 * Public means not loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast or reserved. An IPv6
 * address that embeds an IPv4 address is refused too, because it could name any of these.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || metadata.has(parsed.toString())) return false;
  // The library reports "unicast" for every address without another class, such as ::127.0.0.1 (IPv4-compatible).
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(globalUnicast);
}

/** Why an origin is not a public address, or null. Names pass: their addresses are checked when connecting. */
export function refuseOrigin(origin: string): string | null {
  const url = URL.parse(origin);
  // The parser turns 0x7f.1 into 127.0.0.1 and drops user names and default ports: comparing the result finds every
  // such disguise.
  if (url === null || url.origin !== origin)
    return "The address is not a plain origin such as https://api.example.com.";
  if (url.protocol !== "https:") return "Credentials go to https addresses only.";
  if (/(?:^|\.)localhost\.?$/.test(url.hostname)) return "localhost is not a public address.";
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) return `${literal} is not a public address.`;
  return null;
}

export const resolveWithSystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookupName(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * A `lookup` for sockets. The socket connects to the addresses that were checked and does not resolve again, so DNS
 * rebinding gains nothing. One address that is not public blocks the name.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const bad = addresses.find(({ address }) => !isPublicAddress(address));
        if (bad) return callback(new AddressBlocked(`${hostname} resolves to ${bad.address}`), []);
        if (!first) return callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
        if (options.all) return callback(null, addresses);
        callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
