import { type LookupAddress, lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import type { Use } from "./private-hosts.ts";

/** Where requests may go: public addresses, and nowhere else. */

/** All addresses of a name, as the machine's resolver knows them. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** All that whoever chose the address is told. */
export const notCalled = "Its name is not known, or it leads to an address that is not public.";

/** Refused before anything was connected. The message is for whoever chose the address; `detail` is for the log alone. */
export class AddressBlocked extends Error {
  override readonly name = "AddressBlocked";
  readonly detail: string;

  constructor(detail: string) {
    super(notCalled);
    this.detail = detail;
  }
}

/** The settings in which an operator lists origins in private networks, by what may reach them. */
export const privateHostSettings = {
  steps: "SIGNALBOX_PRIVATE_HOSTS_STEPS",
  webhooks: "SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS",
  models: "SIGNALBOX_PRIVATE_HOSTS_MODELS",
  identity: "SIGNALBOX_PRIVATE_HOSTS_IDENTITY",
} as const satisfies Record<Use, string>;

/**
 * What a person is told of an address that cannot be used. One sentence for a name that nobody has and for one that leads into
 * a private network: which names and addresses exist there is not for them to find out. The log has the details.
 */
export const addressRefused = (use: Use): string =>
  `This address cannot be used: its name is not known, or it is not a public address. An operator can allow an address in a private network with ${privateHostSettings[use]}.`;

/** Whether a failure, or one behind it, says that nothing was connected because of the address itself. */
export function isAddressRefused(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (cause instanceof AddressBlocked || ("code" in cause && unknownName.has(String(cause.code)))) return true;
  }
  return false;
}

const unknownName = new Set(["ENOTFOUND", "ENODATA", "EAI_AGAIN", "EAI_NONAME", "EAI_NODATA", "EAI_FAIL"]);

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
/** Looks public, and answers every machine of one cloud with that machine's own settings. */
const metadata = new Set(["168.63.129.16"]);

/**
 * Public is what no standard sets apart: not loopback, private, link-local (where clouds keep their metadata), shared by
 * carriers, multicast, reserved, nor an IPv6 address with an IPv4 address inside, which could name any of these.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || metadata.has(parsed.toString())) return false;
  // The library calls unicast whatever it has no other word for. ::127.0.0.1, the old way to embed an address, is such a case.
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(globalUnicast);
}

/** What is wrong with an origin as a public address, or null. Other names pass: their addresses are looked at when connecting. */
export function refuseOrigin(origin: string): string | null {
  const url = URL.parse(origin);
  // The parser turns 0x7f.1 into 127.0.0.1, drops user names and default ports: equality finds every such disguise.
  if (url === null || url.origin !== origin)
    return "The address is not a plain origin such as https://api.example.com.";
  if (url.protocol !== "https:") return "Credentials go to https addresses only.";
  if (/(?:^|\.)localhost\.?$/.test(url.hostname)) return "localhost is not a public address.";
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) return `${literal} is not a public address.`;
  return null;
}

export const resolveByMachine: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookupName(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * A `lookup` for sockets. The socket connects to the very addresses that were checked; nobody asks the resolver again, so
 * a name that changes its answer in between gains nothing. One bad address spoils the name.
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
