import type { SystemId } from "../systems/define.ts";
import { SignInFailed } from "../systems/sign-in.ts";
import type { Surroundings } from "./places.ts";

/** What comes back from a consent page was written by whoever made the address: each part is looked at before it is used. */

export const startAgain = { remedy: "Start again from Signalbox." };

/** The person said no, or the system did. */
export function refuseRefusal(parameters: URLSearchParams): void {
  const error = parameters.get("error");
  if (error === null) return;
  if (error === "access_denied") {
    throw new SignInFailed("missing_permissions", "The consent was declined, so nothing was connected.", {
      remedy: "Connect again, and allow the access that the page asks for.",
    });
  }
  // What stands there was written by whoever made the address: only a word of the protocol is repeated.
  const word = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : "";
  throw new SignInFailed("invalid_credentials", `The system ended the sign-in with an error${word}.`, startAgain);
}

/** RFC 9207: an answer that names another issuer is one that was mixed up. */
export function refuseOtherIssuer(parameters: URLSearchParams, issuer: string | null): void {
  const named = parameters.get("iss");
  if (named === null || named === issuer) return;
  throw new SignInFailed(
    "invalid_credentials",
    "The answer comes from another system than the one that was asked.",
    startAgain,
  );
}

/** "The pop-up may be sent to `next` only if it is the vendor's, or the sandbox's." */
export function allowedNext(
  { system, instance }: { system: SystemId; instance: string },
  parameters: URLSearchParams,
  { sandboxes }: Surroundings,
): string | null {
  const next = parameters.get("next");
  if (system !== "deployment" || next === null || !URL.canParse(next)) return null;
  const { protocol, hostname, origin, username } = new URL(next);
  const isVendor = protocol === "https:" && (hostname === "vercel.com" || hostname.endsWith(".vercel.com"));
  const isSandbox = instance === "sandbox" && origin === sandboxes?.deployment;
  return (isVendor || isSandbox) && username === "" ? next : null;
}
