import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Tokens } from "../accounts/tokens.ts";
import { machineChance, newId } from "../ids.ts";
import type { World } from "../world.ts";
import { readForm } from "./html.ts";
import type { Installations } from "./installations.ts";

/** The one form-encoded call: a code, once and in time, becomes a token that has no end of its own. */
export function exchangeCode(
  world: World,
  installations: Installations,
  tokens: Tokens,
  call: SandboxCall,
): SandboxAnswer {
  const { clientId, clientSecret } = installations.registration;
  if (!call.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
    return refused(400, "invalid_request", "The body must be application/x-www-form-urlencoded.");
  }
  const form = readForm(call.body);
  for (const name of ["client_id", "client_secret", "code", "redirect_uri"]) {
    if (!form.get(name)) return refused(400, "invalid_request", `Missing required parameter: ${name}.`);
  }
  if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret) {
    return refused(401, "invalid_client", "The client credentials are invalid.");
  }
  const now = world.clock.now();
  const { code_life_seconds: codeLifeSeconds } = world.limits;
  const installation = installations.redeem(
    form.get("code") ?? "",
    form.get("redirect_uri") ?? "",
    now,
    codeLifeSeconds,
  );
  if (!installation) {
    return refused(400, "invalid_grant", "The code is invalid, expired or used, or redirect_uri does not match.");
  }
  const value = newId(machineChance, "");
  const { userId, ownerId, teamId } = installation;
  const { name } = installations.registration;
  tokens.keep({
    value,
    name,
    userId,
    onlyOwnerId: ownerId,
    installation,
    projects: null,
    issuedAt: now,
    expiresAt: null,
  });
  return {
    status: 200,
    body: {
      token_type: "Bearer",
      access_token: value,
      installation_id: installation.id,
      user_id: userId,
      team_id: teamId,
    },
    identity: installation.id,
  };
}

/** The body's shape at the vendor is not documented; this is OAuth's own. */
const refused = (status: number, error: string, description: string): SandboxAnswer => ({
  status,
  body: { error, error_description: description },
});
