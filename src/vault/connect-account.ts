import { requireAdmin } from "../access/callers/require-role.ts";
import type { ChangingScope } from "../access/changing-scope.ts";
import { projectOf } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import { allowInstance } from "./allow-instance.ts";
import type { BegunConsent } from "./consent/consents.ts";
import { type ConnectionEdit, editConnection, requireRoleFor } from "./edit-connection.ts";
import type { ConnectWish } from "./prepare-connection.ts";
import type { Vault } from "./vault.ts";

export type Connected = { connectionId: string } | { consent: BegunConsent };

/** With credentials the account is connected at once, and only if they work; without them a person consents first. */
export async function connectAccount(
  scope: ChangingScope,
  { settings, ...wish }: ConnectWish & Pick<ConnectionEdit, "settings">,
  vault: Vault,
): Promise<Connected> {
  const allowed = await allowInstance(scope, wish, vault);
  const { system, connectionId } = wish;
  const { instance } = allowed;
  await requireRoleFor(scope, { settings });
  const projectId = projectOf(scope);
  const prepared = await vault.prepare(projectId, { ...wish, instance });
  if ("consent" in prepared) {
    if (settings) throw settingsTooEarly();
    return scope.change(async (inside) => {
      const consent = await vault.beginConsent(inside, projectId, prepared.consent);
      const details = { system, instance: prepared.consent.instance, by: "consent page" };
      return { ...named({ consent }), target: connectionId ?? null, details };
    });
  }
  const { verified } = prepared;
  return scope.change(async (inside) => {
    // The admin may have lost the role while the call waited for the system.
    if (allowed.byAdmin) await requireAdmin(inside);
    await requireRoleFor(inside, { settings });
    const project = { id: projectId, organizationId: inside.actor.organizationId };
    const id = await vault.save(inside, project, verified);
    if (settings) await editConnection(inside.db, projectId, id, { settings }, inside.now());
    const identity = verified.who.identity.label;
    const details = { system, instance: verified.instance, identity, by: "credentials", ...(settings && { settings }) };
    return { ...named({ connectionId: id }), target: id, details };
  });
}

/** A repeat of the call finds it by this. */
const named = (connected: Connected) => ({ value: connected, reference: JSON.stringify(connected) });

function settingsTooEarly(): Problem {
  const detail = "An account that a person signs in gets its settings afterwards, with `connections/{id}/update`.";
  return new Problem("validation_failed", detail, { errors: [{ pointer: "#/settings", code: "too_early", detail }] });
}
