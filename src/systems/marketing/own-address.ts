import { findLookAlike } from "../../kernel/look-alikes.ts";
import { Problem } from "../../kernel/problem.ts";
import { type OwnAddress, SignInFailed } from "../sign-in.ts";

export const ownAddress: OwnAddress = {
  liveOrigin,
  refuseOtherSandbox(typed, origin) {
    if (restOrigin(typed) === origin) return;
    throw new SignInFailed("wrong_endpoint", `The sandbox is at ${origin}/rest, not at the address that was given.`, {
      remedy: "Leave out `rest_endpoint`, or give the sandbox's own.",
    });
  },
};

/** Every live account has its own address below one domain; anything else is a typing error, or an admin's decision. */
function liveOrigin(restEndpoint: string | undefined): string {
  if (restEndpoint === undefined) {
    const detail = "`rest_endpoint` is needed.";
    throw new Problem("validation_failed", detail, {
      errors: [{ pointer: "#/credentials/rest_endpoint", code: "missing", detail }],
    });
  }
  const origin = restOrigin(restEndpoint);
  if (!/^https:\/\/[a-z0-9-]+\.mktorest\.com$/.test(origin)) {
    throw new SignInFailed("wrong_endpoint", `${origin} is not an address of this system.`, {
      remedy:
        "Copy the REST endpoint from the system's admin screen (https://….mktorest.com/rest). An admin of the project can connect another address as `instance`.",
    });
  }
  return origin;
}

/** "Accept the endpoint with or without a trailing `/` or `/rest`, reduce it to the origin." */
export function restOrigin(text: string): string {
  const url = URL.canParse(text) && findLookAlike(text) === null ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && /^\/(?:rest\/?)?$/.test(url.pathname)) {
    return url.origin;
  }
  const isIdentity = url?.pathname.startsWith("/identity");
  throw new SignInFailed(
    "wrong_endpoint",
    isIdentity ? "This is the identity address of the instance." : "This is not the address of a REST endpoint.",
    { remedy: "Copy the REST endpoint as the system's admin screen shows it: https://….mktorest.com/rest." },
  );
}
