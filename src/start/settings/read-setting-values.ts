import { isIP } from "node:net";
import {
  defaultPolicies,
  keysAtFullRate,
  type PolicyName,
  type PolicySettings,
} from "../../calls/rate-limits/default-quotas.ts";
import { isRegion, type Region, regions } from "../../kernel/regions.ts";
import { Secret } from "../../kernel/secret.ts";
import { readAddress } from "../../store/postgres/address.ts";
import { forEachSystem, type SystemId } from "../../systems/index.ts";
import type { PrivateHost } from "../../transport/private-hosts.ts";

/** Each function reads the text of a setting, or throws a sentence that says why it cannot be used. */

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new Error(`"${text}" is not a whole number from ${min} to ${max}.`);
  };
}

/** One on each core that this machine, or the container's limit, gives us. */
export function readProcesses(text: string): number | "auto" {
  return text === "auto" ? "auto" : wholeNumber(1, 128)(text);
}

export function oneOf<T extends string>(...words: T[]): (text: string) => T {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) throw new Error(`"${text}" is not one of ${words.join(", ")}.`);
    return word;
  };
}

export function readRegions(text: string): Region[] {
  const named = text.split(",").map((word) => word.trim().toLowerCase());
  const unknown = named.find((word) => !isRegion(word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a region; there are ${regions.join(", ")}.`);
  return regions.filter((region) => named.includes(region));
}

export function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text)) {
    throw new Error(`"${text}" is neither an IP address nor a host name.`);
  }
  return text;
}

/** The addresses of the sandboxes. */
export type SandboxUrls = Record<SystemId, string>;
export type Sandboxes = "own" | "off" | SandboxUrls;

/** The address of the first sandbox; the others follow at the next ports. */
export function readSandboxes(text: string): Sandboxes {
  if (text === "own" || text === "off") return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search || url.hash || url.username || !url.port) {
    throw new Error(`"${text}" is neither own nor off nor an address with a port, such as http://127.0.0.1:4111.`);
  }
  return sandboxUrlsFrom(url.hostname, Number(url.port));
}

/** One port after the other, in the order of the systems. */
export const sandboxUrlsFrom = (host: string, firstPort: number): SandboxUrls =>
  forEachSystem((_system, index) => `http://${host}:${firstPort + index}`);

export function readMasterKey(text: string): Secret {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    throw new Error("it must be 32 bytes in base64, which are 44 characters (its value is not shown here).");
  }
  return new Secret(text);
}

export function readWord(text: string): string {
  if (!/^[\x21-\x7e]{1,500}$/.test(text)) throw new Error("it must be one word of visible characters.");
  return text;
}

export function readSecretWord(text: string): Secret {
  if (!/^[\x21-\x7e]{1,500}$/.test(text)) {
    throw new Error("it must be one word of visible characters (its value is not shown here).");
  }
  return new Secret(text);
}

export function readSender(text: string): string {
  if (!/^(?:[^<>@\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(text)) {
    throw new Error(`"${text}" is not of the form \`Name <address@host>\`.`);
  }
  return text;
}

/**
 * Origins only: the step decides the path, not the setting. `=org_…` behind one, with `+` between several, opens it to
 * these organizations only. `none` is the empty list.
 */
export function readPrivateHosts(text: string): PrivateHost[] {
  if (text === "none") return [];
  return listed(text).map((part) => {
    const [address = "", ...named] = part.split("=");
    const origin = readOrigin(address.trim());
    if (named.length === 0) return origin;
    const organizations = named
      .join("=")
      .split("+")
      .map((id) => id.trim());
    const wrong = organizations.find((id) => !organizationShape.test(id));
    if (wrong === undefined) return { origin, organizations };
    throw new Error(`"${wrong}" in "${part}" is not the id of an organization, such as org_us_….`);
  });
}

/** The operator chooses models, for all organizations. */
export const readModelHosts = (text: string): string[] => (text === "none" ? [] : listed(text).map(readOrigin));

const organizationShape = /^org_(?:us|eu|au)_[0-9a-z]+$/;

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== text.toLowerCase().replace(/\/$/, "")) {
    throw new Error(`"${text}" is not an origin such as http://10.0.0.5:8080.`);
  }
  return url.origin;
}

export function readProxies(text: string): string[] {
  const named = text.split(",").map((part) => part.trim());
  const proxies = named.filter((part) => part !== "");
  const wrong = proxies.find((part) => !isAddressRange(part));
  if (wrong !== undefined) throw new Error(`"${wrong}" is neither an IP address nor a range such as 10.0.0.0/8.`);
  return proxies;
}

function isAddressRange(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

// The messages about these two never repeat the value: it contains a password.
const unreadable = "special characters in user and password must be percent-encoded (its value is not shown here).";

export function readDatabaseUrl(text: string): Secret {
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new Error("it must begin with postgres:// (its value is not shown here).");
  try {
    readAddress(text);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}; ${unreadable}`);
  }
  return new Secret(text);
}

export function readSmtpUrl(text: string): Secret {
  if (!/^smtps?:\/\//.test(text))
    throw new Error("it must begin with smtp:// or smtps:// (its value is not shown here).");
  if (!URL.canParse(text)) throw new Error(`it is not a valid address; ${unreadable}`);
  return new Secret(text);
}

export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.username || url.password)) throw new Error("it must not contain a user or password.");
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`"${text}" is not an http or https address.`);
  if (url.search || url.hash) throw new Error(`"${text}" must be a plain address.`);
  return url.href.replace(/\/+$/, "");
}

/** `off`; `default=6000/60,invite=5`; the header's own form `"default";q=6000;w=60`; or a JSON object of the same. */
export function readRateLimits(text: string): PolicySettings {
  if (text === "off") return "off";
  const policies: Record<string, { quota: number; windowSeconds: number }> = { ...defaultPolicies };
  const named = new Set<string>();
  const parts = text.startsWith("{") ? fromJson(text) : text.split(",").map((part) => part.trim());
  for (const part of parts) {
    const match =
      /^"?(\w+)"?=(\d+)(?:\/(\d+))?$/.exec(part) ?? /^"?(\w+)"?\s*;\s*q=(\d+)(?:\s*;\s*w=(\d+))?$/.exec(part);
    const [, name = "", quota, window] = match ?? [];
    const known = Object.hasOwn(policies, name) ? policies[name] : undefined;
    if (!known) throw new Error(`"${part}" is not of the form name=calls/seconds with a name of ${policyNames()}.`);
    named.add(name);
    policies[name] = {
      quota: Number(quota),
      windowSeconds: window === undefined ? known.windowSeconds : Number(window),
    };
    if (policies[name].windowSeconds < 1) throw new Error(`"${part}" has a window of 0 seconds.`);
  }
  const ofKey = policies.default;
  // An operator who lets keys call more often means their accounts, too.
  if (ofKey && named.has("default") && !named.has("account"))
    policies.account = { ...ofKey, quota: ofKey.quota * keysAtFullRate };
  return policies as PolicySettings;
}

const policyNames = (): string => (Object.keys(defaultPolicies) as PolicyName[]).join(", ");

function fromJson(text: string): string[] {
  const value = JSON.parse(text) as Record<string, number | { q: number; w?: number } | null>;
  return Object.entries(value).map(([name, limit]) =>
    typeof limit === "number"
      ? `${name}=${limit}`
      : `${name}=${limit?.q}${limit?.w === undefined ? "" : `/${limit.w}`}`,
  );
}

/** `name=value,name=value`, values percent-encoded, as OpenTelemetry defines it. */
export function readOtlpHeaders(text: string): Secret {
  if (!/^[\w.-]+=[^,\s]*(?:,\s*[\w.-]+=[^,\s]*)*$/.test(text)) {
    throw new Error("it must be of the form `name=value,name=value` (its value is not shown here).");
  }
  return new Secret(text);
}

export function readShare(text: string): number {
  const share = Number(text);
  if (text.trim() === "" || !(share >= 0 && share <= 1)) throw new Error(`"${text}" is not a number from 0 to 1.`);
  return share;
}
