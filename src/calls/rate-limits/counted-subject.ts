import { isIPv6 } from "node:net";

/** An IPv6 address counts as its /64 network, whose owner has 2^64 of them. One that wraps an IPv4 address counts as that. */
export function subjectOf(given: string): string {
  if (!given.includes(":") || !isIPv6(given)) return given;
  const wrapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(given)?.[1];
  if (wrapped !== undefined) return wrapped;
  const [before = "", after] = given.split("::");
  const groups = before === "" ? [] : before.split(":");
  const behind = after === undefined || after === "" ? 0 : after.split(":").length;
  const missing = after === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(after ? after.split(":") : [])];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
