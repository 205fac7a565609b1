import type { Clock } from "../../server/clock.ts";
import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import { people } from "../people/people.ts";
import type { Tokens } from "../people/tokens.ts";
import { jsonType } from "../wire/api-error.ts";
import type { Authorization } from "./authorize.ts";

const answer = (status: number, body: object, identity: string | null = null): SandboxAnswer => ({
  status,
  headers: jsonType,
  body,
  identity,
});

/** The token may stand in the query or in the form. */
const parameter = (call: SandboxCall, name: string): string | null =>
  call.query.get(name) ?? new URLSearchParams(call.body.toString()).get(name);

/** Revoking one token ends every token of the person for this client. A dead one is refused. */
export function answerRevoke(call: SandboxCall, tokens: Tokens, authorization: Authorization): SandboxAnswer {
  const token = parameter(call, "token");
  if (!token) return answer(400, { error: "invalid_request", error_description: "Missing required parameter: token" });
  const facts = tokens.read(token);
  if (!tokens.revoke(token))
    return answer(400, { error: "invalid_token", error_description: "Token expired or revoked" });
  if (facts) authorization.forgetConsent(facts.person, facts.clientId);
  return answer(200, {}, facts ? people[facts.person].email : null);
}

/** What an access token is good for, given as a parameter or in the header. Every value is a string. */
export function answerTokenInfo(call: SandboxCall, tokens: Tokens, clock: Clock): SandboxAnswer {
  const token = parameter(call, "access_token") ?? /^Bearer +(.+)$/i.exec(call.headers.authorization ?? "")?.[1];
  if (!token) {
    const needed = "either access_token, id_token, or token_handle required";
    return answer(400, { error: "invalid_request", error_description: needed });
  }
  const facts = tokens.read(token);
  if (facts?.kind !== "access") return answer(400, { error: "invalid_token", error_description: "Invalid Value" });
  const expiresAt = facts.expiresAt ?? clock.now() + 3599_000;
  const { subject, email } = people[facts.person];
  const showsEmail = facts.scopes.some((scope) => scope === "email" || scope.endsWith("/userinfo.email"));
  return answer(
    200,
    {
      azp: facts.clientId,
      aud: facts.clientId,
      sub: subject,
      scope: facts.scopes.join(" "),
      exp: String(Math.floor(expiresAt / 1000)),
      expires_in: String(Math.max(0, Math.floor((expiresAt - clock.now()) / 1000))),
      ...(showsEmail ? { email, email_verified: "true" } : {}),
      access_type: "offline",
    },
    email,
  );
}
