import { Problem } from "../kernel/problem.ts";
import type { SystemId } from "../systems/define.ts";
import { type Grant, isObject } from "../systems/sign-in.ts";

/** Credentials as a caller gave them, read by their system. */
export interface GivenCredentials {
  grant: Grant;
  teamId?: string;
  /** The address of a marketing instance, as it was typed. */
  restEndpoint?: string;
}

const textMax = 20_000;

export function readCredentials(system: SystemId, given: Record<string, unknown>): GivenCredentials {
  const read = (...names: string[]) => readText(given, names);
  const required = (...names: string[]) => {
    const text = read(...names);
    if (text === undefined) throw refused(names[0] ?? "", "is needed", "missing");
    return text;
  };
  switch (system) {
    case "marketing": {
      const grant: Grant = {
        kind: "client credentials",
        clientId: required("client_id"),
        clientSecret: required("client_secret"),
      };
      const restEndpoint = read("rest_endpoint", "rest_api_endpoint");
      return { grant, ...(restEndpoint === undefined ? {} : { restEndpoint }) };
    }
    case "deployment": {
      const teamId = read("team_id") ?? read("team_slug");
      return {
        grant: { kind: "access token", token: required("token", "access_token") },
        ...(teamId === undefined ? {} : { teamId }),
      };
    }
    case "analytics":
      return { grant: readAnalytics(given, read) };
  }
}

function readAnalytics(given: Record<string, unknown>, read: (...names: string[]) => string | undefined): Grant {
  if (given.service_account_key !== undefined) return readServiceAccount(given.service_account_key);
  const refreshToken = read("refresh_token");
  if (refreshToken !== undefined) {
    const [clientId, clientSecret] = [read("client_id"), read("client_secret")];
    return {
      kind: "refresh token",
      refreshToken,
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
  }
  const token = read("access_token", "token");
  if (token !== undefined) return { kind: "access token", token };
  throw refused("", "must hold `service_account_key`, `refresh_token` or `access_token`", "missing");
}

/** The key file as it was downloaded: as an object, or as the text that is in it. */
function readServiceAccount(value: unknown): Grant {
  const file = typeof value === "string" ? parse(value) : value;
  if (!isObject(file)) throw refused("service_account_key", "is not a key file", "invalid_value");
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = file;
  if (typeof email !== "string" || typeof privateKey !== "string") {
    throw refused("service_account_key", "lacks `client_email` or `private_key`", "missing");
  }
  return { kind: "service account", email, privateKey, ...(typeof keyId === "string" ? { keyId } : {}) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readText(given: Record<string, unknown>, names: string[]): string | undefined {
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value === null) continue;
    // A line break or a blank around it comes from copying; one inside would end up in a header.
    const text = typeof value === "string" ? value.trim() : "";
    if (text === "" || text.length > textMax || !/^[\x21-\x7e]+$/.test(text)) {
      throw refused(name, "must be one line of visible characters", "invalid_value");
    }
    return text;
  }
  return undefined;
}

/** Names the member, never its value. */
const refused = (name: string, why: string, code: string): Problem => {
  const pointer = name === "" ? "#/credentials" : `#/credentials/${name}`;
  const detail = name === "" ? `\`credentials\` ${why}.` : `\`${name}\` ${why}.`;
  return new Problem("validation_failed", detail, { errors: [{ pointer, code, detail }] });
};
