import { refuseLookAlikes } from "../kernel/look-alikes.ts";
import { Problem } from "../kernel/problem.ts";
import { addressRefused, refuseOrigin } from "../transport/address-guard.ts";
import { refuseTarget } from "../transport/target.ts";

/** Where a delivery goes, in the two parts that the way out takes. */
export interface WebhookPlace {
  origin: string;
  target: string;
}

/**
 * What can be told of an address by looking at it. What its name leads to is looked at whenever something is sent: names
 * change their minds.
 */
export function refuseUrl(text: string, privateOrigins: readonly string[]): string | null {
  const alike = refuseLookAlikes(text);
  if (alike !== null) return alike;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "This is not an https address.";
  if (url.username || url.password) return "An address holds no user name and no password.";
  if (url.hash) return "An address ends before its number sign.";
  const { origin, target } = placeOf(text);
  const isAllowed = privateOrigins.some((each) => URL.parse(each)?.origin === origin);
  if (!isAllowed && url.protocol !== "https:") return "Events go to https addresses only.";
  if (!isAllowed && refuseOrigin(origin) !== null) return addressRefused("webhooks");
  return refuseTarget(origin, target);
}

export function requireUrl(text: string, privateOrigins: readonly string[]): string {
  const refused = refuseUrl(text, privateOrigins);
  if (refused === null) return new URL(text).href;
  throw new Problem("validation_failed", "Events cannot be sent to this address.", {
    errors: [{ pointer: "#/url", code: "not_allowed", detail: refused }],
  });
}

export function placeOf(text: string): WebhookPlace {
  const url = new URL(text);
  return { origin: url.origin, target: `${url.pathname}${url.search}` };
}
