import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import type { LookupFunction } from "node:net";
import tls from "node:tls";

/**
 * Loaded before the program: a network in which the hosts of the vendors are a server of the test. The program resolves
 * their names to public addresses, checks these, and speaks TLS with the names. Below that, the bytes go to the test. No
 * other host exists.
 */
const port = Number(process.env.TEST_VENDOR_PORT);
const names = (process.env.TEST_VENDOR_NAMES ?? "").split(",");
/** Public, and never connected to. */
const publicAddress = { address: "1.1.1.1", family: 4 };
const loopback = { address: "127.0.0.1", family: 4 };

const realLookup = dns.lookup;
const answerFor =
  (found: { address: string; family: number }, isAsked: (host: string) => boolean): LookupFunction =>
  (host, options, callback) => {
    if (!isAsked(host)) {
      process.stderr.write(`Nobody is to call ${host}.\n`);
      return callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), []);
    }
    if (options.all) callback(null, [found]);
    else callback(null, found.address, found.family);
  };
const lookupPublic = answerFor(publicAddress, (host) => names.includes(host));

dns.lookup = ((host: string, ...more: unknown[]) => {
  if (host === "localhost" || host === "127.0.0.1") return Reflect.apply(realLookup, dns, [host, ...more]);
  const callback = more.pop() as Parameters<LookupFunction>[2];
  lookupPublic(host, (more[0] ?? {}) as Parameters<LookupFunction>[1], callback);
}) as typeof dns.lookup;

const realConnect = tls.connect;
tls.connect = ((options: tls.ConnectionOptions, ...more: unknown[]) => {
  if (!names.includes(options.host ?? "") || options.port !== 443) {
    throw new Error(`Nobody is to call ${options.host}:${options.port}.`);
  }
  const check = options.lookup ?? lookupPublic;
  const lookup: LookupFunction = (host, asked, callback) =>
    check(host, asked, (error, ...found) => {
      if (error) callback(error, ...(found as [string, number]));
      else answerFor(loopback, () => true)(host, asked, callback);
    });
  return Reflect.apply(realConnect, tls, [{ ...options, port, lookup }, ...more]);
}) as typeof tls.connect;

syncBuiltinESMExports();
