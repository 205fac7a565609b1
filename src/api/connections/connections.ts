import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { impactOf } from "../../agents/connection-impact.ts";
import { type Removed, removeConnection } from "../../agents/remove-connection.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { policyField } from "../../steps/policy.ts";
import { requireConnection, requireNotRemoved } from "../../vault/connections.ts";
import { editConnection, requireRoleFor } from "../../vault/edit-connection.ts";
import { labelField } from "../shared-fields.ts";
import { connectInput, connectionId, connectionRecord, settingsField, toRecord } from "./connection-response.ts";

export const connectionOperations = [
  operation({
    path: "/latest/connections/list",
    area: "connections",
    summary: "List the project's connected accounts",
    description: "Removed accounts stay listed, so that tools that used them can say why they stopped.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({ ...pageInput, system: connectInput.shape.system.optional() }),
    output: pageOutput(connectionRecord),
    example: {},
    async run(scope, input, { vault }) {
      const page = { ...onePageOf(input), system: input.system };
      const rows = await vault.list(projectOf(scope), page);
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/connections/{connection_id}/get",
    area: "connections",
    summary: "Read one connected account",
    needs: "project viewer",
    audit: null,
    refuses: ["connection_not_found"],
    input: z.object({ connection_id: connectionId }),
    output: connectionRecord,
    example: { connection_id: "con_us_…" },
    async run(scope, input, rooms) {
      return toRecord(await requireConnection(rooms.vault, projectOf(scope), input.connection_id));
    },
  }),
  externalOperation({
    path: "/latest/connections/{connection_id}/check",
    area: "connections",
    summary: "Check with the system whether the account still works, and whose it is",
    needs: "project editor",
    audit: "connection.checked",
    refuses: ["connection_not_found", "connection_removed"],
    input: z.object({ connection_id: connectionId }),
    output: connectionRecord,
    example: { connection_id: "con_us_…" },
    async run(scope, input, rooms) {
      const connection = await requireNotRemoved(rooms.vault, projectOf(scope), input.connection_id);
      const finding = await rooms.vault.checkAccount(connection);
      await scope.change(async (inside) => {
        await rooms.vault.saveCheckResult(inside.db, connection, finding);
        const details = finding.kind === "well" ? { found: "well" } : { found: finding.kind, reason: finding.reason };
        return { value: null, target: connection.id, details, reference: connection.id };
      });
      return toRecord(await requireConnection(rooms.vault, projectOf(scope), connection.id));
    },
    answerAgain: async (scope, reference, { vault }) =>
      toRecord(await requireConnection(vault, projectOf(scope), reference)),
  }),
  operation({
    path: "/latest/connections/{connection_id}/update",
    area: "connections",
    summary: "Change an account's label, its limits or its policy",
    description:
      "Only admins can change the policy and the daily quota. The policy decides which requests anyone may send with the account.",
    needs: "project editor",
    audit: "connection.updated",
    refuses: ["connection_not_found", "connection_removed", "admin_required"],
    input: z.object({
      connection_id: connectionId,
      label: labelField.min(1).optional(),
      settings: settingsField.optional(),
      policy: policyField.nullish().meta({ description: "Which requests are allowed; null removes the policy" }),
    }),
    output: connectionRecord,
    example: { connection_id: "con_us_…", label: "Marketing, production", settings: { daily_quota: 50_000 } },
    async run(scope, { connection_id: id, label, settings, policy }) {
      const edit = { label, settings, policy };
      await requireRoleFor(scope, edit);
      return toRecord(await editConnection(scope.db, projectOf(scope), id, edit, scope.now()));
    },
    auditOf: ({ connection_id: id, ...edit }) => ({ target: id, details: edit }),
  }),
  operation({
    path: "/latest/connections/{connection_id}/impact",
    area: "connections",
    summary: "List what uses the account and would stop without it",
    needs: "project viewer",
    audit: null,
    refuses: ["connection_not_found"],
    input: z.object({ connection_id: connectionId }),
    output: z.object({
      tools: z
        .array(z.object({ tool_id: z.string(), title: z.string() }))
        .meta({ description: "Tools with a step that names it" }),
      agents: z
        .array(z.object({ agent_id: z.string(), name: z.string() }))
        .meta({ description: "Agents with a rule that starts such a tool" }),
      schedules: z
        .array(z.object({ schedule_id: z.string(), tool_id: z.string() }))
        .meta({ description: "Schedules that start such a tool" }),
      shared_with: z.int().optional().meta({
        description:
          "Other connections of the organization with the same grant at the system; removing this one keeps it",
      }),
    }),
    example: { connection_id: "con_us_…" },
    async run(scope, input, rooms) {
      const connection = await requireConnection(rooms.vault, projectOf(scope), input.connection_id);
      const { id } = connection;
      const sharedWith = await rooms.vault.sharedWith(connection);
      const { tools, agents, schedules } = await impactOf(scope.db, projectOf(scope), id);
      return {
        tools: tools.map((tool) => ({ tool_id: tool.id, title: tool.title })),
        agents: agents.map((agent) => ({ agent_id: agent.id, name: agent.name })),
        schedules: schedules.map((schedule) => ({ schedule_id: schedule.id, tool_id: schedule.toolId })),
        ...(sharedWith > 0 && { shared_with: sharedWith }),
      };
    },
  }),
  externalOperation({
    path: "/latest/connections/{connection_id}/remove",
    area: "connections",
    summary: "Remove an account: revoke its grant and destroy its credentials",
    description:
      "The external account and its data stay as they are. Steps that use the connection end with `needs_reconnect` until `connections/connect` with its id restores it. Pasted credentials stay valid at the system unless `revoke` is true. A grant that other connections of the organization share is revoked with the last of them, or with `revoke_shared`; until then only the credentials here are destroyed.",
    needs: "project editor",
    audit: "connection.removed",
    refuses: ["connection_not_found", "connection_removed"],
    input: z.object({
      connection_id: connectionId,
      revoke: z.boolean().default(false).meta({ description: "Also revoke pasted credentials at the system" }),
      revoke_shared: z.boolean().default(false).meta({
        description: "Also revoke a grant that other connections share; they then need a reconnect",
      }),
    }),
    output: z.object({
      connection_id: z.string(),
      removed: z.literal(true),
      revoked: z
        .object({
          at_system: z.boolean().meta({ description: "Whether the grant was revoked at the system" }),
          detail: z.string(),
          shared_with: z.int().optional().meta({
            description: "How many other connections of the organization, in all its projects, have the same grant",
          }),
        })
        .meta({ description: "What happened to the grant at the system" }),
      left_at_system: z.array(z.string()).optional().meta({
        description: "Webhooks that were registered through it and could not be removed at the platform",
      }),
    }),
    example: { connection_id: "con_us_…" },
    async run(scope, input, rooms) {
      const wish = { id: input.connection_id, pasted: input.revoke, shared: input.revoke_shared };
      return toRemoved(await removeConnection(scope, wish, { ...rooms, keys: rooms.vault.keys }));
    },
    answerAgain: async (_, reference) => toRemoved(JSON.parse(reference) as Removed),
  }),
];

const toRemoved = ({ id, revoked, left }: Removed) => ({
  connection_id: id,
  removed: true as const,
  revoked,
  ...(left.length > 0 && { left_at_system: left }),
});
