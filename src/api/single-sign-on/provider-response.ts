import * as z from "zod";
import { onTheWire } from "../../access/permissions.ts";
import type { Scope } from "../../access/scope.ts";
import type { Identity } from "../../identity/sso/identities.ts";
import { type ProviderSettings, readSettings, type SettingsWish } from "../../identity/sso/provider-settings.ts";
import type { Provider } from "../../identity/sso/providers.ts";
import { readIdpMetadata } from "../../identity/sso/saml/metadata.ts";
import type { Sso } from "../../identity/sso/sso.ts";
import { originsOpenTo } from "../../transport/private-hosts.ts";
import { idField, permissionsAnswer, permissionsField, timeField } from "../shared-fields.ts";

export const providerId = idField.meta({ description: "The identity provider" });
export const kindField = z.enum(["oidc", "saml"]).meta({ description: "OpenID Connect, or SAML 2.0" });
const plainText = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[ -~\u00a0-\u{10ffff}]*$/u, { error: "Control characters are not allowed." });

/** The settings of a provider; which members apply depends on its kind. */
export const settingsInput = {
  issuer: plainText(500).optional().meta({
    description: "oidc: the provider's issuer, an https address such as `https://idp.example.com`",
  }),
  client_id: plainText(500).optional().meta({ description: "oidc: the client id that the provider gave Signalbox" }),
  client_secret: plainText(2000)
    .nullish()
    .meta({ description: "oidc: stored sealed, never shown; null for a public client" }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/))
    .max(20)
    .optional()
    .meta({ description: "oidc: the requested scopes; default: `openid email profile`" }),
  metadata_xml: z
    .string()
    .max(200_000)
    .optional()
    .meta({ description: "saml: the provider's metadata, instead of the next three" }),
  entity_id: plainText(1000).optional().meta({ description: "saml: the provider's entity ID" }),
  entry_point: plainText(1000)
    .optional()
    .meta({ description: "saml: the provider's page for sign-in, with the HTTP-Redirect binding" }),
  certificates: z
    .array(z.string().max(20_000))
    .max(10)
    .optional()
    .meta({ description: "saml: PEM certificates; the provider may sign with any of them" }),
};

export const wayInput = {
  required: z.boolean().meta({
    description:
      "People of the verified domains can sign in only here. Owners keep their password and passkeys, so that an unreachable provider does not lock out the organization",
  }),
  enabled: z.boolean().meta({ description: "Whether people can sign in here" }),
  just_in_time: z.boolean().meta({ description: "A person without an account gets one" }),
};

export const placeInput = {
  default_project_id: idField.nullish().meta({ description: "The project that such an account joins at once" }),
  default_permissions: permissionsField.nullish(),
  directory_id: idField.nullish().meta({
    description:
      "The directory whose people sign in here: they are found by its ids and names. Left out, the organization's only directory, for its first provider",
  }),
};

export const providerRecord = z.object({
  provider_id: z.string(),
  kind: kindField,
  label: z.string(),
  enabled: z.boolean(),
  required: z.boolean(),
  issuer: z.string().nullable(),
  client_id: z.string().nullable(),
  has_client_secret: z.boolean().meta({ description: "Whether a client secret is stored" }),
  scopes: z.array(z.string()).nullable(),
  entity_id: z.string().nullable(),
  entry_point: z.string().nullable(),
  certificates: z.array(z.string()).nullable(),
  just_in_time: z.boolean(),
  default_project_id: z.string().nullable(),
  default_permissions: permissionsAnswer.nullable(),
  directory_id: z.string().nullable(),
  register_at_provider: z
    .record(z.string(), z.string())
    .meta({ description: "What to register at the provider: `redirect_uri`, or `entity_id` and `acs_url`" }),
  sign_in_url: z
    .string()
    .meta({ description: "Where a person starts to sign in: an address of this region to open in a browser" }),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(providerRecord, { id: "IdentityProvider" });

export function toRecord(provider: Provider, sso: Sso): z.input<typeof providerRecord> {
  const { settings } = provider;
  const oidc = settings.kind === "oidc" ? settings : null;
  const saml = settings.kind === "saml" ? settings : null;
  return {
    provider_id: provider.id,
    kind: settings.kind,
    label: provider.label,
    enabled: provider.enabled,
    required: provider.required,
    issuer: oidc?.issuer ?? null,
    client_id: oidc?.clientId ?? null,
    has_client_secret: provider.sealed !== null,
    scopes: oidc?.scopes ?? null,
    entity_id: saml?.entityId ?? null,
    entry_point: saml?.entryPoint ?? null,
    certificates: saml?.certificates ?? null,
    just_in_time: provider.justInTime,
    default_project_id: provider.defaultProjectId,
    default_permissions: provider.defaultPermissions === null ? null : onTheWire(provider.defaultPermissions),
    directory_id: provider.directoryId,
    register_at_provider: sso.addressesOf(provider),
    sign_in_url: sso.signInUrlOf(provider),
    created_by: provider.createdBy,
    created_at: provider.createdAt,
    updated_at: provider.updatedAt,
  };
}

type SettingsMembers = z.output<z.ZodObject<typeof settingsInput>>;

/** The settings in the request, with those in its SAML metadata. */
export function settingsFrom(
  wanted: SettingsWish,
  input: SettingsMembers,
  { actor }: Pick<Scope, "actor">,
  sso: Sso,
): ProviderSettings {
  const described =
    wanted.kind === "saml" && input.metadata_xml !== undefined ? readIdpMetadata(input.metadata_xml) : {};
  const open = originsOpenTo(sso.privateOrigins, actor.organizationId);
  return readSettings({ ...wanted, ...given(input), ...described }, open);
}

const given = (input: SettingsMembers): Partial<SettingsWish> => ({
  ...(input.issuer === undefined ? {} : { issuer: input.issuer }),
  ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
  ...(input.scopes === undefined ? {} : { scopes: input.scopes }),
  ...(input.entity_id === undefined ? {} : { entityId: input.entity_id }),
  ...(input.entry_point === undefined ? {} : { entryPoint: input.entry_point }),
  ...(input.certificates === undefined ? {} : { certificates: input.certificates }),
});

export const identityRecord = z.object({
  identity_id: z.string(),
  provider_id: z.string(),
  subject: z.string().meta({ description: "Their permanent id at the provider" }),
  user_id: z.string(),
  email: z.string().nullable().meta({ description: "The address that the provider sent at the last sign-in" }),
  created_at: timeField,
  last_used_at: timeField,
});
z.globalRegistry.add(identityRecord, { id: "Identity" });

export const toIdentity = (identity: Identity): z.input<typeof identityRecord> => ({
  identity_id: identity.id,
  provider_id: identity.providerId,
  subject: identity.subject,
  user_id: identity.userId,
  email: identity.email,
  created_at: identity.createdAt,
  last_used_at: identity.lastUsedAt,
});
