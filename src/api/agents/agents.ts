import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { createAgent, editAgent, listAgentSizes, listAgents, requireAgent } from "../../agents/agents.ts";
import { deleteWholeAgent } from "../../agents/events/delete-agent.ts";
import { listRegistrations } from "../../agents/events/registrations.ts";
import { unregisterAll } from "../../agents/events/system-webhooks.ts";
import { withAccounts } from "../../agents/step-accounts.ts";
import { externalOperation, operation, type Rooms } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { rowsThatFit } from "../../store/page-rows.ts";
import { signatureInText } from "../../systems/event-senders.ts";
import { samples as shown } from "../../systems/samples.ts";
import { ifUpdatedAtField } from "../shared-fields.ts";
import { agentId, agentRecord, bodyBytesMax, members, secretField, toRecord, urlField } from "./agent-response.ts";

const agentPorts = ({ vault, events }: Rooms) => ({ ...events, vault });

const newAgent = agentRecord.extend({ webhook_url: urlField, webhook_secret: secretField });
z.globalRegistry.add(newAgent, { id: "NewAgent" });

export const agentOperations = [
  operation({
    path: "/latest/agents/create",
    area: "agents",
    summary: "Create an agent, with an address for events",
    description: `The sender of an event signs its bytes with \`webhook_secret\`: ${signatureInText}. The server responds 202 once the event is stored. The event starts the tools of all rules that match. If none matches and the agent has instructions, its model decides, with the allowed steps and tools.`,
    needs: "project editor",
    audit: "agent.created",
    answersSecret: true,
    bodyBytesMax,
    refuses: [],
    input: z.object({
      name: members.name,
      instructions: members.instructions.default(""),
      tools: members.tools.default([]),
      steps: members.steps.default([]),
      model: members.model.default(null),
      approval: members.approval.default("writes"),
      rules: members.rules.default([]),
      max_turns: members.max_turns.default(20),
      max_tokens: members.max_tokens.default(500_000),
      max_minutes: members.max_minutes.default(60),
      webhook_signature: members.webhook_signature.default("required"),
      webhook_secrets: members.webhook_secrets.default([]),
    }),
    output: newAgent,
    example: {
      name: "Release watch",
      rules: [{ on: shown.event.name, tool_id: "tol_us_…", params: shown.event.params }],
    },
    async run(scope, input, rooms) {
      const { webhook_signature: signature, webhook_secrets: webhookSecrets, ...named } = input;
      const { max_turns: turnsMax, max_tokens: tokensMax, max_minutes: minutesMax, ...wish } = named;
      const steps = await withAccounts(wish.steps, projectOf(scope), rooms.vault);
      const wanted = { ...wish, steps, turnsMax, tokensMax, minutesMax, signature, webhookSecrets };
      const made = await createAgent(scope, wanted, agentPorts(rooms));
      return { ...toRecord(made.agent), webhook_url: made.webhookUrl, webhook_secret: made.secret };
    },
    auditOf: (input, output) => ({ target: output.agent_id, details: { name: input.name } }),
  }),
  operation({
    path: "/latest/agents/list",
    area: "agents",
    summary: "List the project's agents",
    needs: "project editor",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(agentRecord),
    example: {},
    async run(scope, input) {
      const sizes = await listAgentSizes(scope.db, projectOf(scope), onePageOf(input));
      const limit = rowsThatFit(sizes, input.limit);
      const rows = await listAgents(scope.db, projectOf(scope), onePageOf({ ...input, limit }));
      return toPage(rows, limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/get",
    area: "agents",
    summary: "Read one agent",
    needs: "project editor",
    audit: null,
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: agentRecord,
    example: { agent_id: "agt_us_…" },
    async run(scope, input) {
      return toRecord(await requireAgent(scope.db, projectOf(scope), input.agent_id));
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/update",
    area: "agents",
    summary: "Change an agent",
    description:
      "Members that are left out stay as they are; lists are replaced as a whole. The person who changes an agent becomes its `run_as`: from then on it handles events on their behalf.",
    needs: "project editor",
    audit: "agent.updated",
    bodyBytesMax,
    refuses: ["agent_not_found", "agent_changed"],
    input: z.object({
      agent_id: agentId,
      if_updated_at: ifUpdatedAtField,
      name: members.name.optional(),
      instructions: members.instructions.optional(),
      tools: members.tools.optional(),
      steps: members.steps.optional(),
      model: members.model.optional(),
      approval: members.approval.optional(),
      rules: members.rules.optional(),
      max_turns: members.max_turns.optional(),
      max_tokens: members.max_tokens.optional(),
      max_minutes: members.max_minutes.optional(),
      webhook_signature: members.webhook_signature.optional(),
      webhook_secrets: members.webhook_secrets.optional(),
    }),
    output: agentRecord,
    example: { agent_id: "agt_us_…", webhook_secrets: ["shown-once-by-the-platform"] },
    async run(scope, input, rooms) {
      const { agent_id: id, if_updated_at: ifUpdatedAt, ...members } = input;
      const { webhook_signature: signature, webhook_secrets: webhookSecrets, ...named } = members;
      const { max_turns: turnsMax, max_tokens: tokensMax, max_minutes: minutesMax, ...changes } = named;
      const steps = changes.steps && (await withAccounts(changes.steps, projectOf(scope), rooms.vault));
      const edit = { ...changes, steps, turnsMax, tokensMax, minutesMax, signature, webhookSecrets };
      return toRecord(await editAgent(scope, id, edit, ifUpdatedAt, agentPorts(rooms)));
    },
    auditOf: ({ agent_id: id, if_updated_at: _, ...edit }) => ({ target: id, details: { changed: Object.keys(edit) } }),
  }),
  externalOperation({
    path: "/latest/agents/{agent_id}/delete",
    area: "agents",
    summary: "Delete an agent, its address and its secrets",
    description:
      "Removes the webhooks that were registered for it at the platform, if the platform can be reached. Its runs and events are kept.",
    needs: "project editor",
    audit: "agent.deleted",
    answersWithChange: true,
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: z.object({
      agent_id: z.string(),
      deleted: z.literal(true),
      left_at_system: z.array(z.string()).meta({ description: "Webhooks that could not be removed at the platform" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, { agent_id: id }, rooms) {
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      const registered = await listRegistrations(scope.db, id);
      const left = await unregisterAll(scope, registered, rooms);
      return scope.change(async ({ db, now }) => {
        left.push(...(await deleteWholeAgent(db, agent, registered, now())));
        const value = { agent_id: id, deleted: true as const, left_at_system: left };
        return { value, target: id, details: { name: agent.name } };
      });
    },
  }),
];
