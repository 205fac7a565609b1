import * as z from "zod";
import { projectOf } from "../access/scope.ts";
import {
  type Agent,
  createAgent,
  deleteAgent,
  editAgent,
  listAgents,
  readAddress,
  requireAgent,
  rotateAgentSecret,
  setPaused,
} from "../webhooks/agents.ts";
import { leaveQueued, queuedEvents } from "../webhooks/events.ts";
import { deleteRegistrations, listRegistrations, type Registration } from "../webhooks/registrations.ts";
import { onePageOf, operation, outsideOperation, pageInput, pageOutput, type Rooms, toPage } from "./define.ts";
import { idField, nameField, timeField } from "./fields.ts";
import { unregisterAt } from "./registrations.ts";

export const agentId = idField.meta({ description: "The agent" });
/** Instructions and rules may be long; beyond this they are not meant. */
const bodyBytesMax = 4 * 1024 * 1024;
const noNul = { test: (text: string) => !text.includes("\u0000"), error: "The character U+0000 is not allowed." };

const ruleField = z.strictObject({
  on: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/)
    .meta({
      description:
        "`deployment.started`, `deployment.completed`, `deployment.failed`, an event name of the sender's own, or `*` for every one",
    }),
  tool_id: idField.meta({ description: "The tool to start" }),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "What it is started with; `{{event}}` is the event. Without it, the event itself" }),
});

const members = {
  name: nameField,
  instructions: z
    .string()
    .max(50_000)
    .refine(noNul.test, { error: noNul.error })
    .meta({ description: "What it is to do, in words, for a model" }),
  tools: z.array(idField).max(100).meta({ description: "Tools that it may use" }),
  steps: z
    .array(
      z.strictObject({
        step: idField.meta({ description: "Such as `list_deployments`" }),
        connection_id: idField.meta({ description: "The account it acts as there" }),
      }),
    )
    .max(100)
    .meta({ description: "Steps that it may use, and as whom" }),
  model: z
    .string()
    .min(1)
    .max(200)
    .refine(noNul.test, { error: noNul.error })
    .nullable()
    .meta({ description: "The model that decides; null for the one of the settings. Without any, the rules decide" }),
  approval: z
    .enum(["never", "writes", "always"])
    .meta({ description: "When a person has to agree before something is sent" }),
  rules: z.array(ruleField).max(100).meta({ description: "Which event starts which tool" }),
  webhook_signature: z
    .enum(["required", "off"])
    .meta({ description: "`off` believes everyone who knows the address; for senders that cannot sign" }),
  webhook_secrets: z
    .array(
      z
        .string()
        .min(8)
        .max(500)
        .regex(/^[\x21-\x7e]+$/, { error: "A secret is made of visible ASCII characters." }),
    )
    .max(10)
    .meta({ description: "Further secrets that are accepted: senders such as the deployment platform make their own" }),
};

const agentRecord = z.object({
  agent_id: z.string(),
  project_id: z.string(),
  name: z.string(),
  instructions: z.string(),
  tools: z.array(z.string()),
  steps: z.array(z.object({ step: z.string(), connection_id: z.string() })),
  model: z.string().nullable(),
  approval: members.approval,
  rules: z.array(
    z.object({
      on: z.string().meta({ description: "The event" }),
      tool_id: z.string(),
      params: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  webhook_signature: members.webhook_signature,
  paused: z.boolean().meta({ description: "Its events wait until it is resumed" }),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});

const toRecord = (agent: Agent): z.input<typeof agentRecord> => ({
  agent_id: agent.id,
  project_id: agent.projectId,
  name: agent.name,
  instructions: agent.instructions,
  tools: agent.tools,
  steps: agent.steps,
  model: agent.model,
  approval: agent.approval,
  rules: agent.rules,
  webhook_signature: agent.signature,
  paused: agent.paused,
  created_by: agent.createdBy,
  created_at: agent.createdAt,
  updated_at: agent.updatedAt,
});

export const registrationRecord = z.object({
  connection_id: z.string(),
  system_webhook_id: z.string().meta({ description: "What the platform calls it" }),
  events: z.array(z.string()).meta({ description: "The platform’s names of what it tells" }),
  created_at: timeField,
});

export const toRegistrationRecord = (made: Registration): z.input<typeof registrationRecord> => ({
  connection_id: made.connectionId,
  system_webhook_id: made.systemWebhookId,
  events: made.events,
  created_at: made.createdAt,
});

const agentPorts = ({ vault, webhooks }: Rooms) => ({ ...webhooks, vault });
const urlField = z.string().meta({ description: "Where events for the agent are sent" });
const secretField = z.string().meta({ description: "Signs events for the agent; shown this once" });

export const agentOperations = [
  operation({
    path: "/latest/agents/create",
    area: "agents",
    summary: "Create an agent, with an address for events",
    description:
      "Whoever sends events signs their bytes with `webhook_secret`: `x-vercel-signature` is the HMAC-SHA1 in hex. An event is answered 202 once it is kept, and starts the tools of the rules that fit.",
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
      webhook_signature: members.webhook_signature.default("required"),
      webhook_secrets: members.webhook_secrets.default([]),
    }),
    output: agentRecord.extend({ webhook_url: urlField, webhook_secret: secretField }),
    example: {
      name: "Release watch",
      rules: [{ on: "deployment.failed", tool_id: "tol_us_…", params: { id: "{{event.payload.deployment.id}}" } }],
    },
    async run(scope, input, rooms) {
      const { webhook_secrets: webhookSecrets, webhook_signature: signature, ...wish } = input;
      const made = await createAgent(scope, { ...wish, signature, webhookSecrets }, agentPorts(rooms));
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
      const rows = await listAgents(scope.db, projectOf(scope), onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
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
    description: "Members that are left out stay as they are; lists are replaced as a whole.",
    needs: "project editor",
    audit: "agent.updated",
    bodyBytesMax,
    refuses: ["agent_not_found"],
    input: z.object({
      agent_id: agentId,
      name: members.name.optional(),
      instructions: members.instructions.optional(),
      tools: members.tools.optional(),
      steps: members.steps.optional(),
      model: members.model.optional(),
      approval: members.approval.optional(),
      rules: members.rules.optional(),
      webhook_signature: members.webhook_signature.optional(),
      webhook_secrets: members.webhook_secrets.optional(),
    }),
    output: agentRecord,
    example: { agent_id: "agt_us_…", webhook_secrets: ["shown-once-by-the-platform"] },
    async run(scope, input, rooms) {
      const edit = {
        name: input.name,
        instructions: input.instructions,
        tools: input.tools,
        steps: input.steps,
        model: input.model,
        approval: input.approval,
        rules: input.rules,
        signature: input.webhook_signature,
        webhookSecrets: input.webhook_secrets,
      };
      return toRecord(await editAgent(scope, input.agent_id, edit, agentPorts(rooms)));
    },
    auditOf: ({ agent_id: id, ...edit }) => ({ target: id, details: { changed: Object.keys(edit) } }),
  }),
  outsideOperation({
    path: "/latest/agents/{agent_id}/delete",
    area: "agents",
    summary: "Delete an agent, its address and its secrets",
    description:
      "Webhooks that were registered for it are removed at the platform first, as far as that can be reached. Its runs and events stay.",
    needs: "project editor",
    audit: "agent.deleted",
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
      const left: string[] = [];
      for (const made of await listRegistrations(scope.db, id)) {
        if (await unregisterAt(scope, made, rooms)) left.push(made.systemWebhookId);
      }
      await scope.change(async ({ db, now }) => {
        await requireAgent(db, agent.projectId, id);
        await deleteRegistrations(db, id);
        await leaveQueued(db, id, now());
        await deleteAgent(db, id);
        return { value: null, target: id, details: { name: agent.name } };
      });
      return { agent_id: id, deleted: true as const, left_at_system: left };
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/webhook",
    area: "agents",
    summary: "Where the agent hears events, and who was told to send them there",
    needs: "project editor",
    audit: null,
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: z.object({
      agent_id: z.string(),
      webhook_url: urlField,
      queued_events: z.int().meta({ description: "How many wait because it is paused" }),
      registrations: z.array(registrationRecord).meta({ description: "Webhooks made for it at the platform" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, { agent_id: id }, { webhooks }) {
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      return {
        agent_id: id,
        webhook_url: await readAddress(scope.db, agent, webhooks),
        queued_events: await queuedEvents(scope.db, id),
        registrations: (await listRegistrations(scope.db, id)).map(toRegistrationRecord),
      };
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/rotate_secret",
    area: "agents",
    summary: "Replace the agent's webhook secret, while the old one is accepted for a while",
    needs: "project editor",
    audit: "agent.secret_rotated",
    answersSecret: true,
    refuses: ["agent_not_found"],
    input: z.object({
      agent_id: agentId,
      overlap_seconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .meta({ description: "How long the old secret is accepted" }),
    }),
    output: z.object({
      agent_id: z.string(),
      webhook_secret: secretField,
      old_expires_at: timeField.meta({ description: "Until when the old secret is accepted" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, input, { webhooks }) {
      const { secret, oldUntil } = await rotateAgentSecret(scope, input.agent_id, input.overlap_seconds, webhooks);
      return { agent_id: input.agent_id, webhook_secret: secret, old_expires_at: oldUntil };
    },
    auditOf: (input) => ({ target: input.agent_id, details: { overlap_seconds: input.overlap_seconds } }),
  }),
  operation({
    path: "/latest/agents/{agent_id}/pause",
    area: "agents",
    summary: "Let an agent's events wait",
    description: "Up to 1,000 are kept; whoever sends more is asked to come again later, and nothing is lost.",
    needs: "project editor",
    audit: "agent.paused",
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: agentRecord,
    example: { agent_id: "agt_us_…" },
    async run(scope, input) {
      return toRecord(await setPaused(scope, input.agent_id, true));
    },
    auditOf: (input) => ({ target: input.agent_id }),
  }),
  operation({
    path: "/latest/agents/{agent_id}/resume",
    area: "agents",
    summary: "Go on, beginning with the events that have waited longest",
    needs: "project editor",
    audit: "agent.resumed",
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: agentRecord,
    example: { agent_id: "agt_us_…" },
    async run(scope, input, { webhooks }) {
      scope.afterCommit(webhooks.queued.wake);
      return toRecord(await setPaused(scope, input.agent_id, false));
    },
    auditOf: (input) => ({ target: input.agent_id }),
  }),
];
