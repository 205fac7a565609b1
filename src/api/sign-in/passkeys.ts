import * as z from "zod";
import { endEnrolling } from "../../access/callers/sessions.ts";
import { findOrganization } from "../../access/organizations.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import {
  beginPasskey,
  listPasskeysOf,
  type Passkey,
  readNewPasskey,
  removePasskey,
  savePasskey,
} from "../../identity/passkeys.ts";
import { idField, labelField, timeField } from "../shared-fields.ts";
import { newPasskeyExample, newPasskeyField, optionsAnswer } from "./sign-in-fields.ts";

const passkeyRecord = z.object({
  passkey_id: z.string(),
  label: z.string(),
  synced: z.boolean().meta({ description: "Whether the person's devices share it" }),
  created_at: timeField,
  last_used_at: timeField.nullable().meta({ description: "When it was last used to sign in; null before" }),
});
z.globalRegistry.add(passkeyRecord, { id: "Passkey" });

const toRecord = (passkey: Passkey) => ({
  passkey_id: passkey.id,
  label: passkey.label,
  synced: passkey.synced,
  created_at: passkey.createdAt,
  last_used_at: passkey.lastUsedAt,
});

export const passkeyOperations = [
  operation({
    path: "/latest/auth/passkeys/begin",
    area: "sign_in",
    summary: "Start to add a passkey to your account",
    description:
      "Pass the response to the browser's `navigator.credentials.create`. It is valid once, for five minutes.",
    needs: "full key",
    confirmed: true,
    whileEnrolling: true,
    audit: null,
    refuses: ["too_many_passkeys"],
    input: z.object({}),
    output: z.object({ options: optionsAnswer }),
    example: {},
    async run(scope, _input, rooms) {
      const { userId, email, organizationId } = scope.actor;
      const organization = await findOrganization(scope.db, organizationId);
      const person = { userId, email, displayName: `${email} (${organization?.name ?? ""})` };
      return { options: { ...(await beginPasskey(scope.db, person, rooms.pages, scope.now())) } };
    },
  }),
  externalOperation({
    path: "/latest/auth/passkeys/finish",
    area: "sign_in",
    summary: "Add the passkey that the browser created",
    needs: "full key",
    confirmed: true,
    whileEnrolling: true,
    audit: "passkey.added",
    answersWithChange: true,
    countsAs: "write",
    refuses: ["challenge_gone", "passkey_unusable"],
    input: z.object({ response: newPasskeyField, label: labelField.optional() }),
    output: passkeyRecord,
    example: { response: newPasskeyExample, label: "My laptop" },
    async run(scope, input, rooms) {
      const { userId } = scope.actor;
      const read = await readNewPasskey(scope.db, userId, input.response, rooms.pages, scope.now());
      return scope.change(async (inside) => {
        const kept = await savePasskey(inside, userId, read, input.label || "Passkey");
        const token = inside.actor.enrolling ? await endEnrolling(inside.db, inside.actor.keyId) : null;
        if (token !== null) inside.afterCommit(() => scope.setSession?.(token));
        return { value: toRecord(kept), target: kept.id, details: { label: kept.label, synced: kept.synced } };
      });
    },
  }),
  operation({
    path: "/latest/auth/passkeys/list",
    area: "sign_in",
    summary: "List the passkeys of your account",
    needs: "full key",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(passkeyRecord),
    example: {},
    async run(scope, input) {
      const rows = await listPasskeysOf(scope.db, scope.actor.userId, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/auth/passkeys/remove",
    area: "sign_in",
    summary: "Remove a passkey from your account",
    description: "It stops working here at once. The copy on the device stays until the person deletes it.",
    needs: "full key",
    confirmed: true,
    audit: "passkey.removed",
    countsAs: "write",
    refuses: ["passkey_not_found", "last_second_factor"],
    input: z.object({ passkey_id: idField }),
    output: z.object({ passkey_id: z.string(), removed: z.literal(true) }),
    example: { passkey_id: "pky_us_…" },
    async run(scope, input) {
      const { userId, organizationId } = scope.actor;
      await removePasskey(scope.db, { id: userId, organizationId }, input.passkey_id);
      return { passkey_id: input.passkey_id, removed: true as const };
    },
    auditOf: (input) => ({ target: input.passkey_id }),
  }),
];
