import { isIP } from "node:net";
import { findLookAlike } from "../kernel/look-alike-characters.ts";
import { Problem } from "../kernel/problem.ts";
import { clientSettingName } from "../systems/client-settings.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import { originsOpenTo } from "../transport/private-hosts.ts";
import type { Instance } from "./connections.ts";
import { addressesAt, type VaultConfig } from "./system-addresses.ts";

export interface ChosenInstance {
  instance: Instance;
  addresses: Record<string, string>;
}

/** Where to connect an account: `live`, `sandbox`, or the address of a server with the same API. */
export function chooseInstance(
  system: SystemId,
  wanted: string,
  typedAddress: string | undefined,
  organizationId: string,
  config: VaultConfig,
): ChosenInstance {
  if (wanted === "sandbox") return sandboxOf(system, typedAddress, config);
  if (wanted !== "live")
    return { instance: "custom", addresses: addressesAt(system, customOrigin(wanted, organizationId, config)) };
  const { live, ownAddress } = systemOf(system).signIn;
  if (live) return { instance: "live", addresses: { ...live } };
  if (!ownAddress) throw new Error(`The ${system} system has neither live addresses nor addresses of accounts.`);
  return { instance: "live", addresses: addressesAt(system, ownAddress.liveOrigin(typedAddress)) };
}

function sandboxOf(system: SystemId, typedAddress: string | undefined, { sandboxes }: VaultConfig): ChosenInstance {
  const origin = sandboxes?.[system];
  if (origin === undefined) {
    throw refusedInstance("No sandbox runs beside this server (`SIGNALBOX_SANDBOXES`).", "not_available");
  }
  if (typedAddress !== undefined) systemOf(system).signIn.ownAddress?.refuseOtherSandbox(typedAddress, origin);
  return { instance: "sandbox", addresses: addressesAt(system, origin) };
}

/** Accepts https with a name and nothing behind it; anything else only if the operator has listed that address. */
function customOrigin(text: string, organizationId: string, { privateOrigins }: VaultConfig): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || findLookAlike(text) !== null) {
    throw refusedInstance("Give `live`, `sandbox`, or an https address.", "invalid_value");
  }
  if (url.username || url.password || url.search || url.hash || !/^\/(?:(?:rest|identity)\/?)?$/.test(url.pathname)) {
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

const refusedInstance = (detail: string, code: string): Problem =>
  new Problem("validation_failed", detail, { errors: [{ pointer: "#/instance", code, detail }] });

export interface InstanceOffer {
  instance: "live" | "sandbox";
  available: boolean;
  reason: string | null;
  ways: string[];
  addresses: Record<string, string>;
}

/** What a user can connect here, and how. */
export function offeredInstances(system: SystemId, config: VaultConfig): InstanceOffer[] {
  const sandbox = config.sandboxes?.[system];
  const { live, credentials, consent } = systemOf(system).signIn;
  const hasPage = consent !== undefined;
  const waysWith = (isReady: boolean) => [...(hasPage && isReady ? ["oauth"] : []), ...credentials.ways];
  const client = config.clients[system];
  return [
    {
      instance: "live",
      available: true,
      reason: hasPage && !client ? `No pop-up: ${missingSettings(system, config)}` : null,
      ways: waysWith(client !== undefined),
      addresses: { ...live },
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

/** The settings that the pop-up needs, as a sentence. */
export function missingSettings(system: SystemId, { region }: VaultConfig): string {
  const settings = Object.values(systemOf(system).signIn.consent?.client ?? {});
  const names = settings.map((setting) => `\`${clientSettingName(system, setting, region)}\``);
  return `the operator has not set ${names.join(", ").replace(/, ([^,]*)$/, " and $1")}.`;
}
