import type { RecordOf } from "../../../../client/wire.ts";

export type Provider = RecordOf<"/latest/single_sign_on/list">;
export type Domain = RecordOf<"/latest/domains/list">;

/** What a change of a provider or a domain makes stale. */
export const signOnReads = [
  "/latest/single_sign_on/list",
  "/latest/single_sign_on/{provider_id}/get",
  "/latest/domains/list",
] as const;

export const kindOf = ({ kind }: Pick<Provider, "kind">): string => (kind === "oidc" ? "OpenID Connect" : "SAML 2.0");

const registered: Record<string, string> = {
  redirect_uri: "Redirect URI",
  entity_id: "Entity ID (audience)",
  acs_url: "ACS URL (reply address)",
};

/** What the provider has to know of us. */
export const registeredName = (name: string): string => registered[name] ?? name.replaceAll("_", " ");

export function stateOf({ enabled, required }: Provider): { tone: "good" | "warn" | "info"; text: string } {
  if (!enabled) return { tone: "info", text: "Off" };
  return required ? { tone: "good", text: "Required" } : { tone: "good", text: "Offered" };
}
