import * as z from "zod";
import { requireAdmin } from "../../access/callers/require-role.ts";
import { projectOf } from "../../access/scope.ts";
import { type ExternalScope, externalOperation, operation, type Rooms } from "../../calls/define-operation.ts";
import { Problem } from "../../kernel/problem.ts";
import { samples as shown } from "../../systems/samples.ts";
import { allowInstance } from "../../vault/allow-instance.ts";
import { editConnection, requireRoleFor } from "../../vault/edit-connection.ts";
import { idField } from "../shared-fields.ts";
import { connectInput } from "./connection-response.ts";

type ConnectInput = z.output<typeof connectInput>;

async function connect(scope: ExternalScope, input: ConnectInput, rooms: Rooms) {
  const { vault } = rooms;
  const { system, label, credentials, connection_id: existing, settings } = input;
  const allowed = await allowInstance(scope, { instance: input.instance, connectionId: existing }, vault);
  const { instance } = allowed;
  await requireRoleFor(scope, { settings });
  const projectId = projectOf(scope);
  const prepared = await vault.prepare(projectId, { system, instance, label, credentials, connectionId: existing });
  if ("consent" in prepared) {
    if (settings) throw settingsTooEarly();
    const begun = await scope.change(async (inside) => ({
      value: await vault.beginConsent(inside, projectId, prepared.consent),
      target: existing ?? null,
      details: { system, instance: prepared.consent.instance, by: "consent page" },
    }));
    return { connect_url: begun.url, connect_id: begun.connectId, expires_at: begun.expiresAt };
  }
  const { verified } = prepared;
  const id = await scope.change(async (inside) => {
    // The admin may have lost the role while the call waited for the system.
    if (allowed.byAdmin) await requireAdmin(inside);
    await requireRoleFor(inside, { settings });
    const project = { id: projectId, organizationId: inside.actor.organizationId };
    const value = await vault.save(inside, project, verified);
    if (settings) await editConnection(inside.db, projectId, value, { settings }, inside.now());
    const identity = verified.who.identity.label;
    const details = { system, instance: verified.instance, identity, by: "credentials", ...(settings && { settings }) };
    return { value, target: value, details };
  });
  return { connection_id: id };
}

function settingsTooEarly(): Problem {
  const detail = "An account that a person signs in gets its settings afterwards, with `connections/{id}/update`.";
  return new Problem("validation_failed", detail, { errors: [{ pointer: "#/settings", code: "too_early", detail }] });
}

export const connectOperations = [
  externalOperation({
    path: "/latest/connections/connect",
    area: "connections",
    summary: "Connect an account of an external system, or reconnect one",
    description:
      "With `credentials`, Signalbox signs in at once, and saves the account only if that succeeds. Without them, the response has the address of a page on which a person consents; `connections/status` reports the result. With `connection_id`, the connection keeps its id, and everything that uses it works again.",
    needs: "project editor",
    audit: "connection.connect",
    refuses: [
      "authentication_failed",
      "system_unavailable",
      "sign_in_not_configured",
      "connection_not_found",
      "admin_required",
    ],
    input: connectInput,
    output: z.object({
      connection_id: z.string().optional().meta({ description: "Present if the account is connected" }),
      connect_url: z.string().optional().meta({
        description:
          "Open it in a pop-up. The page names the project and leads to the system's own page, where a person consents",
      }),
      connect_id: z.string().optional().meta({ description: "Send it to `connections/status`" }),
      expires_at: z.string().optional().meta({ description: "Until when the sign-in can be completed" }),
    }),
    example: { system: shown.system.id, instance: "sandbox" },
    run: connect,
  }),
  operation({
    path: "/latest/connections/status",
    area: "connections",
    summary: "Read the status of a sign-in in a pop-up",
    needs: "project editor",
    audit: null,
    refuses: ["connect_not_found"],
    input: z.object({ connect_id: idField.meta({ description: "From `connections/connect`" }) }),
    output: z.object({
      state: z.enum(["pending", "connected", "failed", "expired"]).meta({ description: "Its status" }),
      connection_id: z.string().optional(),
      problem: z.unknown().optional(),
    }),
    example: { connect_id: "…" },
    async run(scope, input, { vault }) {
      const { state, connectionId: id, problem } = await vault.consentStatus(projectOf(scope), input.connect_id);
      return { state, ...(id === null ? {} : { connection_id: id }), ...(problem === null ? {} : { problem }) };
    },
  }),
];
