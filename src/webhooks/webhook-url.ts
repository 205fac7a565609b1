import { refuseLookAlikes } from "../kernel/look-alike-characters.ts";
import { Problem } from "../kernel/problem.ts";
import { addressRefused, refuseOrigin } from "../transport/address-guard.ts";
import { refuseTarget } from "../transport/check-target.ts";

/** The address of a delivery, in the two parts that the transport takes. */
export interface WebhookTarget {
  origin: string;
  target: string;
}

/**
 * Checks what the text of an address shows. The transport checks the resolved IP address at each delivery, because it
 * may change.
 */
export function refuseUrl(text: string, privateOrigins: readonly string[]): string | null {
  const alike = refuseLookAlikes(text);
  if (alike !== null) return alike;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "This is not an https address.";
  if (url.username || url.password) return "An address holds no user name and no password.";
  if (url.hash) return "An address ends before its number sign.";
  const { origin, target } = targetOf(text);
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

export function targetOf(text: string): WebhookTarget {
  const url = new URL(text);
  return { origin: url.origin, target: `${url.pathname}${url.search}` };
}
