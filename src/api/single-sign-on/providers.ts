import * as z from "zod";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { endSessionsOutsideSso } from "../../identity/sso/end-other-sessions.ts";
import { listIdentities, unlinkIdentity } from "../../identity/sso/identities.ts";
import {
  createProvider,
  deleteProvider,
  listProviders,
  requireProvider,
  updateProvider,
} from "../../identity/sso/providers.ts";
import { idField, nameField } from "../shared-fields.ts";
import {
  identityRecord,
  kindField,
  placeInput,
  providerId,
  providerRecord,
  settingsFrom,
  settingsInput,
  toIdentity,
  toRecord,
  wayInput,
} from "./provider-response.ts";

const exampleOidc = {
  kind: "oidc" as const,
  label: "Entra ID",
  issuer: "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
  client_id: "66666666-7777-8888-9999-000000000000",
  client_secret: "…",
};

export const singleSignOnOperations = [
  externalOperation({
    path: "/latest/single_sign_on/create",
    area: "single_sign_on",
    summary: "Add an identity provider at which people sign in",
    description:
      "OpenID Connect (`kind` oidc) takes `issuer`, `client_id` and usually `client_secret`; SAML 2.0 (`kind` saml) takes `metadata_xml`, or `entity_id`, `entry_point` and `certificates`. Register at the provider what `register_at_provider` in the response says. This call does not contact the provider; `single_sign_on/{provider_id}/test` does.",
    needs: "organization owner",
    confirmed: true,
    audit: "single_sign_on.created",
    answersWithChange: true,
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
      const settings = settingsFrom({ kind: input.kind }, input, scope, sso);
      return scope.change(async (inside) => {
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
        const sessionsEnded = await endSessionsOutsideSso(inside.db, made.organizationId, inside.now());
        const details = { kind, label, required, sessions_ended: sessionsEnded };
        return { value: toRecord(made, sso), target: made.id, details };
      });
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
  externalOperation({
    path: "/latest/single_sign_on/{provider_id}/update",
    area: "single_sign_on",
    summary: "Change an identity provider, or switch it off",
    description:
      "Members that are left out stay as they are. The kind cannot change. With `required`, everyone who must now use single sign-on loses the sessions that a password or passkey opened.",
    needs: "organization owner",
    confirmed: true,
    audit: "single_sign_on.updated",
    answersWithChange: true,
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
      const settings = settingsFrom(before.settings, input, scope, sso);
      return scope.change(async (inside) => {
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
        const sessionsEnded = await endSessionsOutsideSso(inside.db, after.organizationId, inside.now());
        const given = Object.entries(input).filter(([name, value]) => name !== "provider_id" && value !== undefined);
        const changed = given.map(([name]) => name);
        const details = { changed, sessions_ended: sessionsEnded };
        return { value: toRecord(after, sso), target: before.id, details };
      });
    },
  }),
  operation({
    path: "/latest/single_sign_on/{provider_id}/delete",
    area: "single_sign_on",
    summary: "Delete an identity provider, and the links of accounts to it",
    description: "The accounts stay, and so do their open sessions: end those with `auth/sessions/revoke`.",
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
      // Another, required provider may now be responsible for its domains.
      await endSessionsOutsideSso(scope.db, scope.actor.organizationId, scope.now());
      return { provider_id: input.provider_id, deleted: true as const, unlinked };
    },
    auditOf: (input, output) => ({ target: input.provider_id, details: { unlinked: output.unlinked } }),
  }),
  externalOperation({
    path: "/latest/single_sign_on/{provider_id}/test",
    area: "single_sign_on",
    summary: "Test an identity provider, and report what is wrong",
    description: "A wrong client secret shows only when a person signs in.",
    needs: "organization owner",
    audit: null,
    refuses: ["provider_not_found"],
    input: z.object({ provider_id: providerId }),
    output: z.object({
      provider_id: z.string(),
      ok: z.boolean().meta({ description: "Whether all checks passed" }),
      checks: z
        .array(
          z.object({
            name: z.string().meta({ description: "What was checked" }),
            ok: z.boolean(),
            detail: z.string(),
          }),
        )
        .meta({ description: "All checks" }),
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
    summary: "List the links between accounts and people at the identity providers",
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
    summary: "Remove the link of an account to a person at an identity provider",
    description:
      "Use it if an address was given to another person, or if the provider knows a person under a new id. The account stays, and the next sign-in links it again.",
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
