import { isIP } from "node:net";
import { findLookAlike } from "../kernel/look-alikes.ts";
import { Problem } from "../kernel/problem.ts";
import type { SystemId } from "../systems/define.ts";
import { SignInFailed } from "../systems/sign-in.ts";
import { originsOpenTo } from "../transport/private-hosts.ts";
import type { Instance } from "./connections.ts";
import { addressesAt, signIns, type VaultConfig } from "./endpoint.ts";

export interface ChosenInstance {
  instance: Instance;
  addresses: Record<string, string>;
}

/** Where an account is to be connected: `live`, `sandbox`, or the address of something that speaks the same language. */
export function chooseInstance(
  system: SystemId,
  wanted: string,
  restEndpoint: string | undefined,
  organizationId: string,
  config: VaultConfig,
): ChosenInstance {
  if (wanted === "sandbox") return sandboxOf(system, restEndpoint, config);
  if (wanted !== "live")
    return { instance: "custom", addresses: addressesAt(system, customOrigin(wanted, organizationId, config)) };
  const { live } = signIns[system];
  if (live) return { instance: "live", addresses: { ...live } };
  return { instance: "live", addresses: { main: vendorOrigin(restEndpoint) } };
}

function sandboxOf(system: SystemId, restEndpoint: string | undefined, { sandboxes }: VaultConfig): ChosenInstance {
  const origin = sandboxes?.[system];
  if (origin === undefined) {
    throw refusedInstance("No sandbox runs beside this server (`SIGNALBOX_SANDBOXES`).", "not_available");
  }
  if (restEndpoint !== undefined && restOrigin(restEndpoint) !== origin) {
    throw new SignInFailed("wrong_endpoint", `The sandbox is at ${origin}/rest, not at the address that was given.`, {
      remedy: "Leave out `rest_endpoint`, or give the sandbox's own.",
    });
  }
  return { instance: "sandbox", addresses: addressesAt(system, origin) };
}

/** https, a name, and nothing behind it; anything else only where the operator has listed the very address. */
function customOrigin(text: string, organizationId: string, { privateOrigins }: VaultConfig): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || findLookAlike(text) !== null) {
    throw refusedInstance("Give `live`, `sandbox`, or an https address.", "invalid_value");
  }
  if (url.username || url.password || url.search || url.hash || !/^\/(?:rest\/?)?$/.test(url.pathname)) {
    throw refusedInstance("The address must be of the form https://host, with nothing behind it.", "invalid_value");
  }
  if (originsOpenTo(privateOrigins, organizationId).includes(url.origin)) return url.origin;
  const isNumber = isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0;
  if (url.protocol !== "https:" || url.port !== "" || isNumber) {
    throw refusedInstance(
      "The address must begin with https:// and be a name without a port; the operator can allow others (`SIGNALBOX_PRIVATE_HOSTS_STEPS`).",
      "invalid_value",
    );
  }
  return url.origin;
}

/** Every live account has an address of its own, below one domain; anything else is a typing error, or an admin's decision. */
function vendorOrigin(restEndpoint: string | undefined): string {
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

const refusedInstance = (detail: string, code: string): Problem =>
  new Problem("validation_failed", detail, { errors: [{ pointer: "#/instance", code, detail }] });

export interface InstanceOffer {
  instance: "live" | "sandbox";
  available: boolean;
  reason: string | null;
  ways: string[];
  addresses: Record<string, string>;
}

const pastedWays: Record<SystemId, string[]> = {
  marketing: ["client_credentials"],
  deployment: ["token"],
  analytics: ["service_account", "refresh_token", "token"],
};

/** What can be connected here, and how. */
export function offersOf(system: SystemId, config: VaultConfig): InstanceOffer[] {
  const sandbox = config.sandboxes?.[system];
  const hasPage = system !== "marketing";
  const waysWith = (isReady: boolean) => [...(hasPage && isReady ? ["oauth"] : []), ...pastedWays[system]];
  const client = config.clients[system];
  return [
    {
      instance: "live",
      available: true,
      reason: hasPage && !client ? `No pop-up: ${missingSettings(system, config)}` : null,
      ways: waysWith(client !== undefined),
      addresses: { ...signIns[system].live },
    },
    {
      instance: "sandbox",
      available: sandbox !== undefined,
      reason: sandbox === undefined ? "No sandbox runs beside this server (`SIGNALBOX_SANDBOXES`)." : null,
      ways: waysWith(true),
      addresses: sandbox === undefined ? {} : addressesAt(system, sandbox),
    },
  ];
}

/** Which settings would make the pop-up work, as a sentence. */
export function missingSettings(system: SystemId, { region }: VaultConfig): string {
  const name = (what: string) => `\`SIGNALBOX_${system.toUpperCase()}_${what}_${region.toUpperCase()}\``;
  const names = [
    name("CLIENT_ID"),
    name("CLIENT_SECRET"),
    ...(system === "deployment" ? [name("INTEGRATION_SLUG")] : []),
  ];
  return `the operator has not set ${names.join(", ").replace(/, ([^,]*)$/, " and $1")}.`;
}
