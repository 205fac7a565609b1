import { readText, refusedCredentials } from "../../read-credentials.ts";
import { type Credentials, type Grant, isObject } from "../../sign-in.ts";

export const analyticsCredentials: Credentials = {
  members:
    "`service_account_key`, or the members of a key file themselves; or `refresh_token` with `client_id` and `client_secret`; or `access_token`, which ends within the hour",
  ways: ["service_account", "refresh_token", "token"],
  instead: "a `service_account_key`",
  read: (given) => ({ grant: readGrant(given) }),
  // Reads the form in which the sandbox publishes them. `read` refuses missing members.
  ofSandbox(listed) {
    const oauth = (listed.oauth ?? {}) as { client_id?: string; client_secret?: string; refresh_tokens?: object };
    const tokens = (oauth.refresh_tokens ?? {}) as { administrator?: string };
    return { client_id: oauth.client_id, client_secret: oauth.client_secret, refresh_token: tokens.administrator };
  },
};

function readGrant(given: Record<string, unknown>): Grant {
  if (given.service_account_key !== undefined) return readServiceAccount(given.service_account_key);
  // A file as it was downloaded, given as the credentials: the key of a service account, or of a client by mistake.
  if (given.type === "service_account" || isObject(given.web) || isObject(given.installed))
    return readServiceAccount(given);
  const refreshToken = readText(given, "refresh_token");
  if (refreshToken !== undefined) {
    const [clientId, clientSecret] = [readText(given, "client_id"), readText(given, "client_secret")];
    return {
      kind: "refresh token",
      refreshToken,
      ...(clientId === undefined ? {} : { clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
  }
  const token = readText(given, "access_token", "token");
  if (token !== undefined) return { kind: "access token", token };
  throw refusedCredentials("", "must hold `service_account_key`, `refresh_token` or `access_token`", "missing");
}

/** The key file as downloaded: as an object, or as its text. */
function readServiceAccount(value: unknown): Grant {
  const file = typeof value === "string" ? parse(value) : value;
  if (!isObject(file)) throw refusedCredentials("service_account_key", "is not a key file", "invalid_value");
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = file;
  if (isObject(file.web) || isObject(file.installed)) {
    const why = "is the file of an OAuth client, not the key file of a service account";
    throw refusedCredentials("service_account_key", why, "invalid_value");
  }
  if (typeof email !== "string" || typeof privateKey !== "string") {
    throw refusedCredentials("service_account_key", "lacks `client_email` or `private_key`", "missing");
  }
  return { kind: "service account", email, privateKey, ...(typeof keyId === "string" ? { keyId } : {}) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller says which key file is expected.
    return null;
  }
}
