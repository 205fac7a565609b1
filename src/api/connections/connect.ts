import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { samples as shown } from "../../systems/samples.ts";
import { type Connected, connectAccount } from "../../vault/connect-account.ts";
import { idField } from "../shared-fields.ts";
import { connectInput } from "./connection-response.ts";

function toAnswer(connected: Connected) {
  if ("connectionId" in connected) return { connection_id: connected.connectionId };
  const { url, connectId, expiresAt } = connected.consent;
  return { connect_url: url, connect_id: connectId, expires_at: expiresAt };
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
    async run(scope, { connection_id: connectionId, ...wish }, { vault }) {
      return toAnswer(await connectAccount(scope, { ...wish, connectionId }, vault));
    },
    answerAgain: async (_, reference) => toAnswer(JSON.parse(reference) as Connected),
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
