import { Problem } from "../kernel/problem.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import type { GivenCredentials, Grant, OAuthClient } from "../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { refuseOtherSystem, type VerifiedAccount, verify } from "./connect.ts";
import type { Connection } from "./connections.ts";
import type { ConsentWish } from "./consent/consents.ts";
import { chooseInstance, missingSettings } from "./instances.ts";
import { readSandboxClient, readSandboxCredentials } from "./sandbox-credentials.ts";
import { endpointOf, type VaultConfig } from "./system-addresses.ts";

export interface ConnectWish {
  system: SystemId;
  /** `live`, `sandbox`, or an address. */
  instance: string;
  label?: string | undefined;
  credentials?: Record<string, unknown> | undefined;
  connectionId?: string | undefined;
}

export interface PrepareParts {
  /** The organization that the account will belong to. */
  organizationId: string;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
}

/** Verifies given credentials at once; without credentials, prepares the system's consent page. */
export async function prepare(
  wish: ConnectWish,
  existing: Connection | null,
  parts: PrepareParts,
): Promise<{ verified: VerifiedAccount } | { consent: ConsentWish }> {
  refuseOtherSystem(existing, wish.system);
  const given = await readCredentials(wish, parts);
  return given
    ? { verified: await tryCredentials(wish, given, parts) }
    : { consent: await prepareConsent(wish, existing, parts) };
}

async function tryCredentials(
  wish: ConnectWish,
  given: GivenCredentials,
  parts: PrepareParts,
): Promise<VerifiedAccount> {
  const { system, label = null, connectionId = null } = wish;
  const { teamId, projectIds, address } = given;
  const { organizationId, config } = parts;
  const chosen = chooseInstance(system, wish.instance, address, organizationId, config);
  const grant = chosen.instance === "sandbox" ? await withSandboxClient(system, given.grant, parts) : given.grant;
  const endpoint = endpointOf({ system, ...chosen }, config);
  const outbound = onBehalfOf({ organizationId, instance: chosen.instance }, parts.outbound);
  return verify({ system, ...chosen, grant, label, connectionId, endpoint, teamId, projectIds }, outbound, parts.now());
}

/** A sandbox lists the client that its refresh tokens belong to, so that users need not type it. */
async function withSandboxClient(system: SystemId, grant: Grant, parts: PrepareParts): Promise<Grant> {
  const sandbox = parts.config.sandboxes?.[system];
  if (grant.kind !== "refresh token" || grant.clientId !== undefined || sandbox === undefined) return grant;
  const client = await readSandboxClient(system, sandbox, parts.outbound);
  return client ? { ...grant, clientId: client.id, clientSecret: client.secret } : grant;
}

/** Null if a consent page is needed. The demonstration account of a sandbox without such a page needs no typing. */
async function readCredentials(wish: ConnectWish, parts: PrepareParts): Promise<GivenCredentials | null> {
  const { system, credentials } = wish;
  const { signIn } = systemOf(system);
  if (credentials !== undefined) return signIn.credentials.read(credentials);
  if (signIn.consent) return null;
  const sandbox = wish.instance === "sandbox" ? parts.config.sandboxes?.[system] : undefined;
  if (sandbox === undefined) return signIn.credentials.read({});
  const listed = await readSandboxCredentials(system, sandbox, parts.outbound);
  return signIn.credentials.read(signIn.credentials.ofSandbox(listed));
}

async function prepareConsent(
  wish: ConnectWish,
  existing: Connection | null,
  parts: PrepareParts,
): Promise<ConsentWish> {
  const { system, label = null, connectionId = null } = wish;
  const chosen = chooseInstance(system, wish.instance, undefined, parts.organizationId, parts.config);
  if (chosen.instance === "custom") {
    const detail = "An account at a custom address is connected with `credentials`.";
    throw new Problem("validation_failed", detail, { errors: [{ pointer: "#/credentials", code: "missing", detail }] });
  }
  const client = await clientAt(system, chosen.instance, parts);
  const email = existing?.identity.email;
  return { system, ...chosen, label, connectionId, client, ...(email === undefined ? {} : { loginHint: email }) };
}

async function clientAt(system: SystemId, instance: "live" | "sandbox", parts: PrepareParts): Promise<OAuthClient> {
  const { config, outbound } = parts;
  const sandbox = config.sandboxes?.[system];
  const client =
    instance === "live"
      ? config.clients[system]
      : sandbox === undefined
        ? null
        : await readSandboxClient(system, sandbox, outbound);
  if (client) return client;
  throw new Problem("sign_in_not_configured", `No consent page can be shown: ${missingSettings(system, config)}`, {
    more: {
      remedy: `Connect with ${systemOf(system).signIn.credentials.instead} in \`credentials\`, or let the operator make those settings.`,
    },
  });
}
