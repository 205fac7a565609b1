import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { requireAgent } from "../../agents/agents.ts";
import { readEvent } from "../../agents/events/read-event.ts";
import { type AgentEvent, listEvents, planReplay, readBody, requireEvent } from "../../agents/events/store-event.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, shortPages, toSearchedPage } from "../../calls/list-pages.ts";
import { parseInSlices, unlimited } from "../../kernel/parse-in-slices.ts";
import { Problem } from "../../kernel/problem.ts";
import { smallCharacters } from "../../kernel/strict-json.ts";
import { turnAlone } from "../../kernel/work-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { samples as shown } from "../../systems/samples.ts";
import { redactAnySize } from "../../transport/redact-in-slices.ts";
import { idField, timeField } from "../shared-fields.ts";

const eventId = idField.meta({ description: "The event" });

const statusField = z.enum(["queued", "started", "ignored", "failed"]).meta({
  description:
    "`queued`: its agent is paused. `started`: it started runs. `ignored`: no rule matches. `failed`: `problem` says why it started nothing: a rule matches and could not start its tool, or the store was restored from a backup while the event was queued",
});

const signatureField = z.enum(["valid", "invalid", "not_signed", "old_timestamp"]).nullable().meta({
  description:
    "What became of its signature. `invalid` and `not_signed` are accepted where the agent's `webhook_signature` is `off`. `old_timestamp`: the signature fits, but by its `createdAt` the event is more than seven days old, so it may repeat an earlier one. Null for events from before it was kept",
});

const eventSummary = z.object({
  event_id: z.string(),
  agent_id: z.string(),
  type: z
    .string()
    .meta({ description: `Signalbox's name for it, such as \`${shown.event.name}\`, or else the sender's` }),
  system_type: z.string().meta({ description: "The sender's name for it" }),
  signature: signatureField,
  status: statusField,
  run_id: z.string().nullable().meta({ description: "The first run that it started" }),
  run_ids: z.array(z.string()).meta({ description: "All runs that it started, replays among them" }),
  problem: z.string().nullable(),
  created_at: timeField,
  handled_at: timeField.nullable().meta({ description: "When it was last handled; null while it waits" }),
});
z.globalRegistry.add(eventSummary, { id: "AgentEventSummary" });

export const eventRecord = eventSummary.extend({
  body: z.unknown().meta({ description: "What was sent; secrets are left out" }),
});
z.globalRegistry.add(eventRecord, { id: "AgentEvent" });

export const toSummary = (event: Omit<AgentEvent, "body">): z.input<typeof eventSummary> => ({
  event_id: event.id,
  agent_id: event.agentId,
  type: event.type,
  system_type: event.systemType,
  signature: event.signature,
  status: event.status,
  run_id: event.runIds[0] ?? null,
  run_ids: event.runIds,
  problem: event.problem,
  created_at: event.createdAt,
  handled_at: event.handledAt,
});

/** A body of megabytes is read and redacted in slices. */
export async function toRecord(db: Db, event: AgentEvent): Promise<z.input<typeof eventRecord>> {
  const text = await readBody(db, event);
  if (text.length > smallCharacters) await turnAlone();
  return { ...toSummary(event), body: await redactAnySize(await parseInSlices(text, unlimited)) };
}

export const eventOperations = [
  operation({
    path: "/latest/events/list",
    area: "events",
    summary: "List the events that agents received, newest first",
    description: shortPages("10,000 events"),
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({
      ...pageInput,
      agent_id: idField.optional().meta({ description: "Only events of this agent" }),
      status: statusField.optional(),
      type: z
        .string()
        .regex(/^[\x20-\x7e]{1,200}$/)
        .optional()
        .meta({ description: "Only events of this name" }),
    }),
    output: pageOutput(eventSummary),
    example: { status: "failed" },
    async run(scope, input) {
      const filter = { agentId: input.agent_id ?? null, status: input.status ?? null, type: input.type ?? null };
      const found = await listEvents(scope.db, projectOf(scope), filter, onePageOf(input));
      return toSearchedPage(found, input.limit, (row) => row.id, toSummary);
    },
  }),
  operation({
    path: "/latest/events/{event_id}/get",
    area: "events",
    summary: "Read one event, with its body",
    needs: "project viewer",
    audit: null,
    refuses: ["event_not_found"],
    input: z.object({ event_id: eventId }),
    output: eventRecord,
    example: { event_id: "evt_us_…" },
    async run(scope, input) {
      return toRecord(scope.db, await requireEvent(scope.db, projectOf(scope), input.event_id));
    },
  }),
  externalOperation({
    path: "/latest/events/{event_id}/replay",
    area: "events",
    summary: "Handle an event again, by the agent's current rules",
    description: "Starts new runs, also while the agent is paused.",
    needs: "project editor",
    audit: "event.replayed",
    countsAs: "run",
    refuses: ["event_not_found", "agent_not_found", "compute_exhausted"],
    input: z.object({ event_id: eventId }),
    output: eventRecord,
    example: { event_id: "evt_us_…" },
    async run(scope, input, { events }) {
      const event = await requireEvent(scope.db, projectOf(scope), input.event_id);
      const agent = await requireAgent(scope.db, event.projectId, event.agentId);
      const read = await readEvent(await readBody(scope.db, event));
      if (!read) throw new Problem("event_not_found");
      const begin = await planReplay(agent, read, events);
      const replayed = await scope.change(async ({ db }) => {
        const value = await begin(db, event.id);
        return { value, target: event.id, details: { run_ids: value.runIds }, reference: event.id };
      });
      events.tools.wake();
      return toRecord(scope.db, replayed);
    },
    async answerAgain(scope, reference) {
      return toRecord(scope.db, await requireEvent(scope.db, projectOf(scope), reference));
    },
  }),
];
