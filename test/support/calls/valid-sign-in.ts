import type { Operation } from "../../../src/calls/define-operation.ts";
import type { CallOptions } from "../app.ts";
import { createAuthenticator } from "../sign-in/authenticator.ts";
import { addCodes, addPasskey, codeNow, givePassword, goodPassword, lastMail } from "../sign-in/sign-in.ts";
import type { Team } from "../team.ts";

/** What the sign-in operations need to succeed for the team's owner. */
export function signInMakers(team: Team, operation: Operation, newInvite: () => Promise<unknown>) {
  const { owner, call } = team;
  const asOwner: CallOptions = { as: owner };
  const isAt = (...paths: string[]) => paths.some((path) => operation.path === `/latest/auth/${path}`);
  const begun = once(async (): Promise<{ token: string; code: string }> => {
    if (isAt("sign_up/finish")) {
      const wanted = { invite_code: await newInvite(), name: "Ada" };
      const { body } = await call("auth/sign_up/begin", wanted);
      return { token: body.sign_up_token, code: (await lastMail(team, "sign_up_code")).details.code ?? "" };
    }
    const { secret } = await addCodes(team, asOwner);
    await givePassword(team, owner);
    const { body } = await call("auth/sign_in/password", { email: owner.email, password: goodPassword });
    return { token: body.sign_in_token, code: codeNow(team, secret) };
  });
  const makers: Record<string, () => unknown> = {
    password: async () => {
      await givePassword(team, owner);
      return goodPassword;
    },
    new_password: async () => {
      // A first password needs no current one, an optional member.
      if (isAt("password/change")) await team.store.transaction((db) => db.query("delete from passwords"));
      return "another lamp on the fourth shelf";
    },
    token: async () => {
      await call("auth/password/forgot", { email: owner.email });
      return (await lastMail(team, "password_reset")).details.token;
    },
    sign_in_token: async () => (await begun()).token,
    sign_up_token: async () => (await begun()).token,
    code: async () => {
      if (!isAt("codes/confirm")) return (await begun()).code;
      const { body } = await call("auth/codes/begin", {}, asOwner);
      return codeNow(team, body.secret);
    },
    response: async () => {
      if (!isAt("passkeys/finish")) {
        const { authenticator } = await addPasskey(team, asOwner);
        const { body } = await call("auth/sign_in/passkey/begin", {});
        return authenticator.get(body.options);
      }
      const { body } = await call("auth/passkeys/begin", {}, asOwner);
      return createAuthenticator().create(body.options);
    },
    passkey_id: async () => (await addPasskey(team, asOwner)).passkeyId,
    ...(isAt("sign_in/password") ? { email: () => owner.email } : {}),
  };
  return {
    makers: operation.area === "sign_in" ? makers : {},
    /** Prerequisites that no member names. */
    async prepare() {
      if (isAt("codes/remove")) await addCodes(team, asOwner);
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
