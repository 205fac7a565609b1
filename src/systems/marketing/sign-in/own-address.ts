import { findLookAlike } from "../../../kernel/look-alike-characters.ts";
import { Problem } from "../../../kernel/problem.ts";
import { type OwnAddress, SignInFailed } from "../../sign-in.ts";

export const ownAddress: OwnAddress = {
  liveOrigin,
  refuseOtherSandbox(typed, origin) {
    if (restOrigin(typed) === origin) return;
    throw new SignInFailed("wrong_endpoint", `The sandbox is at ${origin}/rest, not at the address that was given.`, {
      remedy: "Leave out `rest_endpoint`, or give the sandbox's own.",
    });
  },
};

const whereItIs =
  "Copy the REST endpoint as Admin › Web Services shows it (https://123-ABC-456.mktorest.com/rest), or give the Munchkin account id alone (123-ABC-456).";

/** Every live account has its own address below one domain; anything else is a typing error, or an admin's decision. */
function liveOrigin(restEndpoint: string | undefined): string {
  if (restEndpoint === undefined) {
    const detail = "`rest_endpoint` is needed: the REST endpoint or the Munchkin account id of the instance.";
    throw new Problem("validation_failed", detail, {
      errors: [{ pointer: "#/credentials/rest_endpoint", code: "missing", detail }],
    });
  }
  const origin = restOrigin(restEndpoint);
  if (!/^https:\/\/[a-z0-9-]+\.mktorest\.com$/.test(origin)) {
    throw new SignInFailed("wrong_endpoint", `${origin} is not an address of this system.`, {
      remedy: `${whereItIs} Addresses end in mktorest.com. An admin of the project can connect another address as \`instance\`.`,
    });
  }
  return origin;
}

const munchkinId = /^\d{3}-[a-z]{3}-\d{3}$/i;
const originOf = (id: string): string => `https://${id.toLowerCase()}.mktorest.com`;
/** What the vendor's screens and old manuals show behind the host, and what people copy along. */
const usualPath = /^\/*(?:(?:rest|identity|bulk)(?:\/.*)?)?$/;

/**
 * The origin of an instance, from any form in which people have it: the Munchkin account id, the host alone, the REST, the
 * identity or the bulk endpoint, with any path behind it.
 */
export function restOrigin(text: string): string {
  const typed = text.trim();
  if (munchkinId.test(typed)) return originOf(typed);
  if (/^(?:https?:\/\/)?[a-z0-9-]+\.marketo\.com\b/i.test(typed))
    throw refused("This is the address of the system's pages, not of its REST API.");
  const url = readAddress(typed);
  const host = /^([a-z0-9-]+)\.(mktorest|mktoapi)\.com$/.exec(url?.hostname ?? "");
  // The SOAP endpoint names the same instance.
  if (url && host?.[1] && (host[2] === "mktorest" ? usualPath.test(url.pathname) : munchkinId.test(host[1])))
    return originOf(host[1]);
  if (url && !host && usualPath.test(url.pathname)) return url.origin;
  throw refused("This is not the address of a REST endpoint.");
}

const refused = (detail: string): SignInFailed => new SignInFailed("wrong_endpoint", detail, { remedy: whereItIs });

function readAddress(typed: string): URL | null {
  const full = /^(?:\/\/)?[a-z0-9-]+\.mkto(?:rest|api)\.com(?:\/|$)/i.test(typed)
    ? `https://${typed.replace(/^\/\//, "")}`
    : typed;
  const url = URL.canParse(full) && findLookAlike(full) === null ? new URL(full) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
    ? url
    : null;
}
