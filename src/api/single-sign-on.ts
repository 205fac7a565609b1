import * as z from "zod";
import { onTheWire } from "../access/permissions.ts";
import { type Identity, listIdentities, unlinkIdentity } from "../identity/identities.ts";
import { readIdpMetadata } from "../identity/saml-metadata.ts";
import type { Sso } from "../identity/sso.ts";
import {
  createProvider,
  deleteProvider,
  listProviders,
  type Provider,
  requireProvider,
  updateProvider,
} from "../identity/sso-providers.ts";
import { type ProviderSettings, readSettings, type SettingsWish } from "../identity/sso-settings.ts";
import { onePageOf, operation, outsideOperation, pageInput, pageOutput, toPage } from "./define.ts";
import { idField, nameField, permissionsAnswer, permissionsField, timeField } from "./fields.ts";

const providerId = idField.meta({ description: "The identity provider" });
const kindField = z.enum(["oidc", "saml"]).meta({ description: "OpenID Connect, or SAML 2.0" });
const plainText = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[ -~\u00a0-\u{10ffff}]*$/u, { error: "Control characters are not allowed." });

/** What is known of a provider; which members count depends on its kind. */
const settingsInput = {
  issuer: plainText(500).optional().meta({
    description: "oidc: the provider's own name for itself, an https address such as `https://idp.example.com`",
  }),
  client_id: plainText(500).optional().meta({ description: "oidc: what the provider calls Signalbox" }),
  client_secret: plainText(2000)
    .nullish()
    .meta({ description: "oidc: kept sealed, never shown; null for a public client" }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/))
    .max(20)
    .optional()
    .meta({ description: "oidc: what is asked for; `openid email profile` unless given" }),
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
    .meta({ description: "saml: PEM certificates, any of which may have signed" }),
};

const wayInput = {
  required: z.boolean().meta({
    description:
      "People of the verified domains sign in here and in no other way. Owners keep their password and passkeys, so that a provider that is away locks nobody out for good",
  }),
  enabled: z.boolean().meta({ description: "Whether anybody can sign in here" }),
  just_in_time: z.boolean().meta({ description: "Whoever comes without an account gets one" }),
};

const placeInput = {
  default_project_id: idField
    .nullish()
    .meta({ description: "The project that such an account is a member of at once" }),
  default_permissions: permissionsField.nullish(),
  directory_id: idField.nullish().meta({
    description:
      "The directory whose people sign in here: they are found by its ids and names. Left out, the organization's only directory, for its first provider",
  }),
};

const providerRecord = z.object({
  provider_id: z.string(),
  kind: kindField,
  label: z.string(),
  enabled: z.boolean(),
  required: z.boolean(),
  issuer: z.string().nullable(),
  client_id: z.string().nullable(),
  has_client_secret: z.boolean().meta({ description: "Whether a client secret is kept" }),
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
    .meta({ description: "What the provider has to know: `redirect_uri`, or `entity_id` and `acs_url`" }),
  sign_in_url: z.string().meta({ description: "Where a person begins, on the region's own address" }),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});

function toRecord(provider: Provider, sso: Sso): z.input<typeof providerRecord> {
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
    sign_in_url: `/sso/start?provider=${provider.id}`,
    created_by: provider.createdBy,
    created_at: provider.createdAt,
    updated_at: provider.updatedAt,
  };
}

type SettingsMembers = z.output<z.ZodObject<typeof settingsInput>>;

/** What was typed, with the metadata read; asks nobody, but reading XML is not for a transaction. */
async function settingsFrom(wanted: SettingsWish, input: SettingsMembers, sso: Sso): Promise<ProviderSettings> {
  const described =
    wanted.kind === "saml" && input.metadata_xml !== undefined ? await readIdpMetadata(input.metadata_xml) : {};
  return readSettings({ ...wanted, ...given(input), ...described }, sso.privateOrigins);
}

const given = (input: SettingsMembers): Partial<SettingsWish> => ({
  ...(input.issuer === undefined ? {} : { issuer: input.issuer }),
  ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
  ...(input.scopes === undefined ? {} : { scopes: input.scopes }),
  ...(input.entity_id === undefined ? {} : { entityId: input.entity_id }),
  ...(input.entry_point === undefined ? {} : { entryPoint: input.entry_point }),
  ...(input.certificates === undefined ? {} : { certificates: input.certificates }),
});

const identityRecord = z.object({
  identity_id: z.string(),
  provider_id: z.string(),
  subject: z.string().meta({ description: "Who they are at the provider, for good" }),
  user_id: z.string(),
  email: z.string().nullable().meta({ description: "The address that the provider told at the last sign-in" }),
  created_at: timeField,
  last_used_at: timeField,
});

const toIdentity = (identity: Identity): z.input<typeof identityRecord> => ({
  identity_id: identity.id,
  provider_id: identity.providerId,
  subject: identity.subject,
  user_id: identity.userId,
  email: identity.email,
  created_at: identity.createdAt,
  last_used_at: identity.lastUsedAt,
});

const exampleOidc = {
  kind: "oidc" as const,
  label: "Entra ID",
  issuer: "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
  client_id: "66666666-7777-8888-9999-000000000000",
  client_secret: "…",
};

export const singleSignOnOperations = [
  outsideOperation({
    path: "/latest/single_sign_on/create",
    area: "single_sign_on",
    summary: "Let people sign in at the organization's identity provider",
    description:
      "OpenID Connect (`kind` oidc) takes `issuer`, `client_id` and usually `client_secret`; SAML 2.0 (`kind` saml) takes `metadata_xml`, or `entity_id`, `entry_point` and `certificates`. `register_at_provider` in the answer is what the provider has to know. Nothing is asked of the provider yet: `single_sign_on/{provider_id}/test` does that.",
    needs: "organization owner",
    confirmed: true,
    audit: "single_sign_on.created",
    refuses: ["too_many_providers", "project_not_found"],
    bodyBytesMax: 512 * 1024,
    input: z.object({
      kind: kindField,
      label: nameField,
      ...settingsInput,
      enabled: wayInput.enabled.default(true),
      required: wayInput.required.default(false),
      just_in_time: wayInput.just_in_time.default(false),
      ...placeInput,
    }),
    output: providerRecord,
    example: exampleOidc,
    async run(scope, input, { sso }) {
      const settings = await settingsFrom({ kind: input.kind }, input, sso);
      const provider = await scope.change(async (inside) => {
        const wish = {
          label: input.label,
          enabled: input.enabled,
          required: input.required,
          settings,
          clientSecret: settings.kind === "oidc" ? (input.client_secret ?? null) : null,
          justInTime: input.just_in_time,
          defaultProjectId: input.default_project_id ?? null,
          defaultPermissions: input.default_permissions ?? null,
          directoryId: input.directory_id,
        };
        const made = await createProvider(inside, wish, sso.keys);
        const { kind, label, required } = input;
        return { value: made, target: made.id, details: { kind, label, required } };
      });
      return toRecord(provider, sso);
    },
  }),
  operation({
    path: "/latest/single_sign_on/list",
    area: "single_sign_on",
    summary: "List the organization's identity providers",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(providerRecord),
    example: {},
    async run(scope, input, { sso }) {
      const rows = await listProviders(scope, onePageOf(input));
      return toPage(
        rows,
        input.limit,
        (row) => row.id,
        (row) => toRecord(row, sso),
      );
    },
  }),
  operation({
    path: "/latest/single_sign_on/{provider_id}/get",
    area: "single_sign_on",
    summary: "Read one identity provider",
    needs: "organization owner",
    audit: null,
    refuses: ["provider_not_found"],
    input: z.object({ provider_id: providerId }),
    output: providerRecord,
    example: { provider_id: "sso_us_…" },
    async run(scope, input, { sso }) {
      return toRecord(await requireProvider(scope, input.provider_id), sso);
    },
  }),
  outsideOperation({
    path: "/latest/single_sign_on/{provider_id}/update",
    area: "single_sign_on",
    summary: "Change an identity provider, or switch it off",
    description: "What is left out stays. The kind stays too: another one is another provider.",
    needs: "organization owner",
    confirmed: true,
    audit: "single_sign_on.updated",
    refuses: ["provider_not_found", "project_not_found"],
    bodyBytesMax: 512 * 1024,
    input: z.object({
      provider_id: providerId,
      label: nameField.optional(),
      ...settingsInput,
      enabled: wayInput.enabled.optional(),
      required: wayInput.required.optional(),
      just_in_time: wayInput.just_in_time.optional(),
      ...placeInput,
    }),
    output: providerRecord,
    example: { provider_id: "sso_us_…", enabled: false },
    async run(scope, input, { sso }) {
      const before = await requireProvider(scope, input.provider_id);
      const settings = await settingsFrom(before.settings, input, sso);
      const provider = await scope.change(async (inside) => {
        const change = {
          label: input.label,
          enabled: input.enabled,
          required: input.required,
          settings,
          clientSecret: settings.kind === "oidc" ? input.client_secret : undefined,
          justInTime: input.just_in_time,
          defaultProjectId: input.default_project_id,
          defaultPermissions: input.default_permissions,
          directoryId: input.directory_id,
        };
        const after = await updateProvider(inside, before.id, change, sso.keys);
        const changed = Object.entries(input).filter(([name, value]) => name !== "provider_id" && value !== undefined);
        return { value: after, target: before.id, details: { changed: changed.map(([name]) => name) } };
      });
      return toRecord(provider, sso);
    },
  }),
  operation({
    path: "/latest/single_sign_on/{provider_id}/delete",
    area: "single_sign_on",
    summary: "Delete an identity provider, and the links of accounts to it",
    description: "The accounts stay, and so do the sessions that are open: end those with `auth/sessions/revoke`.",
    needs: "organization owner",
    confirmed: true,
    audit: "single_sign_on.deleted",
    refuses: ["provider_not_found"],
    input: z.object({ provider_id: providerId }),
    output: z.object({
      provider_id: z.string(),
      deleted: z.literal(true),
      unlinked: z.int().meta({ description: "How many accounts were linked to it" }),
    }),
    example: { provider_id: "sso_us_…" },
    async run(scope, input) {
      const unlinked = await deleteProvider(scope, input.provider_id);
      return { provider_id: input.provider_id, deleted: true as const, unlinked };
    },
    auditOf: (input, output) => ({ target: input.provider_id, details: { unlinked: output.unlinked } }),
  }),
  outsideOperation({
    path: "/latest/single_sign_on/{provider_id}/test",
    area: "single_sign_on",
    summary: "Ask an identity provider whether it can be used, and say what is wrong",
    description: "Whether the client's secret is right shows only when somebody signs in.",
    needs: "organization owner",
    audit: null,
    refuses: ["provider_not_found"],
    input: z.object({ provider_id: providerId }),
    output: z.object({
      provider_id: z.string(),
      ok: z.boolean().meta({ description: "Whether nothing was found to be wrong" }),
      checks: z
        .array(
          z.object({
            name: z.string().meta({ description: "What was looked at" }),
            ok: z.boolean(),
            detail: z.string(),
          }),
        )
        .meta({ description: "Everything that was looked at" }),
    }),
    example: { provider_id: "sso_us_…" },
    async run(scope, input, { sso }) {
      const checks = await sso.examine(await requireProvider(scope, input.provider_id));
      return { provider_id: input.provider_id, ok: checks.every(({ ok }) => ok), checks };
    },
  }),
  operation({
    path: "/latest/single_sign_on/identities/list",
    area: "single_sign_on",
    summary: "List which accounts are linked to whom at the identity providers",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(identityRecord),
    example: {},
    async run(scope, input) {
      const rows = await listIdentities(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toIdentity);
    },
  }),
  operation({
    path: "/latest/single_sign_on/identities/{identity_id}/delete",
    area: "single_sign_on",
    summary: "Remove the link of an account to somebody at an identity provider",
    description:
      "For an address that was given to another person, or somebody whom the provider knows under a new id. The account stays; who signs in next is found out anew.",
    needs: "organization owner",
    confirmed: true,
    audit: "identity.unlinked",
    refuses: ["identity_not_found"],
    input: z.object({ identity_id: idField.meta({ description: "The link" }) }),
    output: z.object({ identity_id: z.string(), deleted: z.literal(true) }),
    example: { identity_id: "idn_us_…" },
    async run(scope, input) {
      await unlinkIdentity(scope, input.identity_id);
      return { identity_id: input.identity_id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.identity_id }),
  }),
];
