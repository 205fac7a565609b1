import { expect, test } from "vitest";
import { emptyAnswer } from "../../drive.ts";
import type { SignInRequest } from "../../sign-in.ts";
import type { Answer } from "../../work.ts";
import { analyticsSignIn } from "./sign-in.ts";
import { editScope, readScope } from "./token.ts";

const endpoint = { instance: "live", addresses: { ...analyticsSignIn.live }, client: null, isTyped: false } as const;

/** Identifies an account at a system that answers so. */
function identify(accounts: object[], isAdministrator: boolean) {
  const answerTo = ({ target }: SignInRequest): Partial<Answer> => {
    if (target === "/tokeninfo") return { body: { scope: `${readScope} ${editScope}`, email: "ada@example.com" } };
    if (target.startsWith("/v1beta/accountSummaries")) return { body: { accountSummaries: accounts } };
    return { status: target.endsWith(":runAccessReport") && !isAdministrator ? 403 : 200 };
  };
  const work = analyticsSignIn.identify("token", endpoint, { obtained: { token: "token", expiresInSeconds: 3600 } });
  let turn = work.next();
  while (!turn.done) turn = work.next({ ...emptyAnswer, status: 200, ...answerTo(turn.value as SignInRequest) });
  return turn.value;
}

const property = (canEdit: boolean) => ({ property: "properties/1", displayName: "Shop", canEdit });
const account = (...propertySummaries: object[]) => ({ account: "accounts/1", displayName: "Acme", propertySummaries });

// "Find the level by reading only, or 'not known until first used'. An account without properties is not a viewer."
test.each([
  ["an account without properties, whose role reading does not show", [account()], false, null],
  ["an account without properties, of an administrator", [account()], true, "administrator"],
  ["properties that cannot be edited", [account(property(false))], false, "viewer"],
  ["a property that can be edited", [account(property(false), property(true))], false, "editor"],
] as const)("the level of %s", (_, accounts, isAdministrator, level) => {
  expect(identify([...accounts], isAdministrator)).toMatchObject({ accessLevel: level });
});
