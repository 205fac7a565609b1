import type { SystemId } from "../systems/index.ts";
import { isObject, memberOf, type OAuthClient, SignInFailed, textIn } from "../systems/sign-in.ts";
import { type Outbound, SendFailed } from "../transport/outbound.ts";
import { sandboxPrincipal } from "../transport/private-hosts.ts";

/** Reads what a sandbox publishes: the credentials of its demonstration accounts, and our client there. */
export async function readSandboxCredentials(
  system: SystemId,
  origin: string,
  outbound: Outbound,
): Promise<Record<string, unknown>> {
  const request = { origin, method: "GET", target: "/_sandbox", headers: { accept: "application/json" } };
  const answer = await outbound.send({ ...request, principal: sandboxPrincipal }).catch((error) => {
    if (!(error instanceof SendFailed)) throw error;
    throw new SignInFailed("unreachable", `The ${system} sandbox at ${origin} does not respond.`);
  });
  const credentials = memberOf(answer.body, "credentials");
  if (answer.status !== 200 || !isObject(credentials)) {
    throw new SignInFailed("unreachable", `At ${origin} is no ${system} sandbox.`);
  }
  return credentials;
}

export async function readSandboxClient(
  system: SystemId,
  origin: string,
  outbound: Outbound,
): Promise<OAuthClient | null> {
  const oauth = memberOf(await readSandboxCredentials(system, origin, outbound), "oauth");
  const [id, secret, slug] = ["client_id", "client_secret", "slug"].map((name) => textIn(oauth, name));
  if (id === undefined || secret === undefined) return null;
  return { id, secret, ...(slug === undefined ? {} : { slug }) };
}
