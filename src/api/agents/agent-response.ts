import * as z from "zod";
import type { Agent } from "../../agents/agents.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { isLarge } from "../../kernel/write-in-slices.ts";
import { eventNames, refuseEventName, sendersInText } from "../../systems/event-senders.ts";
import { idField, nameField, timeField } from "../shared-fields.ts";
import { agentSteps } from "./allowed-steps.ts";

export const agentId = idField.meta({ description: "The agent" });
/** Room for long instructions and rules. */
export const bodyBytesMax = 4 * 1024 * 1024;
const noNul = { test: (text: string) => !text.includes("\u0000"), error: "The character U+0000 is not allowed." };

/** About 250,000 characters. Every event of the agent reads all rules, and so does each list of agents. */
const rulesWeightMax = 16_000;

const ruleField = z.strictObject({
  on: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/)
    .superRefine((name, context) => {
      const message = refuseEventName(name);
      if (message !== null) context.addIssue({ code: "custom", params: { code: "unknown_event" }, message });
    })
    .meta({
      description: `${eventNames.map((name) => `\`${name}\``).join(", ")}, an event name of the sender's own, or \`*\` for every one`,
    }),
  tool_id: idField.meta({ description: "The tool to start" }),
  params: anyObject()
    .optional()
    .meta({ description: "What it is started with; `{{event}}` is the event. Without it, the event itself" }),
});

export const members = {
  name: nameField,
  instructions: z
    .string()
    .max(50_000)
    .refine(noNul.test, { error: noNul.error })
    .meta({ description: "What the agent should do, as text for its model" }),
  tools: z.array(idField).max(100).meta({ description: "Tools that it may use" }),
  steps: agentSteps,
  model: z.string().min(1).max(200).refine(noNul.test, { error: noNul.error }).nullable().meta({
    description:
      "The agent's model: `openai:<model>`, `anthropic:<model>`; null for the default of the settings. Without a model, only the rules apply",
  }),
  approval: z
    .enum(["never", "writes", "always"])
    .meta({ description: "When a person must approve a request before it is sent" }),
  rules: z
    .array(ruleField)
    .max(100)
    .refine((rules) => !isLarge(rules, rulesWeightMax), {
      error: "The rules hold too much: at most about 250,000 characters. Keep long texts in the tool.",
    })
    .meta({ description: "Which event starts which tool" }),
  max_turns: z.int().min(1).max(100).meta({ description: "How many turns its model may take in one run" }),
  max_tokens: z.int().min(1_000).max(10_000_000).meta({
    description: "Tokens that one run may use, input and output; beyond that, the model gets no further turn",
  }),
  max_minutes: z
    .int()
    .min(1)
    .max(1_440)
    .meta({ description: "How long one run may take; the time that people take to approve does not count" }),
  webhook_signature: z
    .enum(["required", "off"])
    .meta({ description: "`off` accepts events from anyone who knows the address; for senders that cannot sign" }),
  webhook_secrets: z
    .array(
      z
        .string()
        .min(8)
        .max(500)
        .regex(/^[\x21-\x7e]+$/, { error: "A secret is made of visible ASCII characters." }),
    )
    .max(10)
    .meta({
      description: `Further accepted secrets, for senders that create their own, such as ${sendersInText}`,
    }),
};

export const agentRecord = z.object({
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
      params: anyObject().optional(),
    }),
  ),
  max_turns: members.max_turns,
  max_tokens: members.max_tokens,
  max_minutes: members.max_minutes,
  webhook_signature: members.webhook_signature,
  paused: z.boolean().meta({ description: "Its events wait until it is resumed" }),
  run_as: z.string().meta({
    description: "The account on whose behalf it handles events: the person who created it or last changed it",
  }),
  created_by: z.string(),
  created_at: timeField,
  updated_at: timeField,
});
z.globalRegistry.add(agentRecord, { id: "Agent" });

export const toRecord = (agent: Agent): z.input<typeof agentRecord> => ({
  agent_id: agent.id,
  project_id: agent.projectId,
  name: agent.name,
  instructions: agent.instructions,
  tools: agent.tools,
  steps: agent.steps,
  model: agent.model,
  approval: agent.approval,
  rules: agent.rules,
  max_turns: agent.turnsMax,
  max_tokens: agent.tokensMax,
  max_minutes: agent.minutesMax,
  webhook_signature: agent.signature,
  paused: agent.paused,
  run_as: agent.runAs,
  created_by: agent.createdBy,
  created_at: agent.createdAt,
  updated_at: agent.updatedAt,
});

export const urlField = z.string().meta({ description: "Where events for the agent are sent" });
export const secretField = z.string().meta({ description: "Signs events for the agent; shown only once" });
