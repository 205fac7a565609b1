import { type SystemId, systemOf } from "../../systems/index.ts";
import { SignInFailed } from "../../systems/sign-in.ts";
import type { VaultConfig } from "../system-addresses.ts";

/** The query of the redirect comes from outside: each part is checked before it is used. */

export const startAgain = { remedy: "Start again from Signalbox." };

/** Why this consent cannot continue. */
export function whyEnded(connectId: string, known: { state: string } | null): { detail: string; remedy: string } {
  const remedy = "Close this window, and connect the account again from Signalbox.";
  if (connectId === "") return { remedy, detail: "This sign-in was not started in Signalbox: it has no state." };
  if (!known) return { remedy, detail: "This sign-in is not known here." };
  const isLate = known.state === "pending";
  return {
    remedy,
    detail: isLate ? "This sign-in took longer than ten minutes." : "This sign-in was used already.",
  };
}

/** The browser that returned, with its cookie or without one. */
export interface ReturningBrowser {
  browserHash: string | null;
}

/**
 * Otherwise an attacker could send a victim the address, and the victim's account would be connected to the attacker's
 * project. A person must have seen our page in the browser that returns. Programs name no browser, because an
 * address cannot mislead them.
 */
export function refuseOtherBrowser(
  { browserHash }: { browserHash: string | null },
  from: ReturningBrowser | null,
): void {
  if (from === null || (browserHash !== null && browserHash === from.browserHash)) return;
  throw new SignInFailed(
    "invalid_credentials",
    "This browser has not opened this sign-in from Signalbox, so nothing was connected.",
    {
      remedy:
        "If somebody sent you this link and you do not know why, close this window. Otherwise start again from Signalbox, in one browser, with cookies allowed.",
    },
  );
}

/** The user declined, or the system did. */
export function refuseDeclined(parameters: URLSearchParams): void {
  const error = parameters.get("error");
  if (error === null) return;
  if (error === "access_denied") {
    throw new SignInFailed("missing_permissions", "The consent was declined, so nothing was connected.", {
      remedy: "Connect again, and allow the access that the page asks for.",
    });
  }
  // The parameter comes from outside: only a word of the protocol is repeated.
  const word = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : "";
  throw new SignInFailed("invalid_credentials", `The system ended the sign-in with an error${word}.`, startAgain);
}

/** RFC 9207: a response that names another issuer is a mix-up. */
export function refuseOtherIssuer(parameters: URLSearchParams, issuer: string | null): void {
  const named = parameters.get("iss");
  if (named === null || named === issuer) return;
  throw new SignInFailed(
    "invalid_credentials",
    "The response comes from another system than the one that was asked.",
    startAgain,
  );
}

/** "The pop-up may be sent to `next` only if it is the vendor's, or the sandbox's." */
export function allowedNext(
  { system, instance }: { system: SystemId; instance: string },
  parameters: URLSearchParams,
  { sandboxes }: VaultConfig,
): string | null {
  const next = parameters.get("next");
  const { consent } = systemOf(system).signIn;
  if (!consent?.isOwnPage || next === null || !URL.canParse(next)) return null;
  const url = new URL(next);
  const isSandbox = instance === "sandbox" && url.origin === sandboxes?.[system];
  return (isSandbox || consent.isOwnPage(url)) && url.username === "" ? next : null;
}
