import { createHash } from "node:crypto";
import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { operation } from "../../calls/define.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/pages.ts";
import { type ConnectionLimit, listConnectionLimits } from "../../limits/connection-limits.ts";
import { timeField } from "../fields.ts";

const limitRecord = z.object({
  connection_id: z.string(),
  system: z.string(),
  subject: z.string().meta({
    description:
      "What the limit applies to at the system: an instance, a team, a property. Everyone in your organization who uses it shares what is left",
  }),
  name: z.string(),
  max: z.number().nullable().meta({ description: "Null until the system has reported it" }),
  used: z.number().meta({ description: "Includes calls in progress" }),
  left: z.number().nullable().meta({ description: "Null if `max` is" }),
  resets_at: timeField.nullable().meta({
    description: "When it resets, or, for a sliding window, when the next slot is free; null if nothing is used",
  }),
  waiting: z
    .array(
      z.object({
        caller: z.string().meta({ description: "The account that waits" }),
        since: timeField.meta({ description: "Since when it waits" }),
        run_id: z.string(),
      }),
    )
    .meta({ description: "Calls of this project that wait for it, in the order of the queue" }),
  waiting_others: z.int().meta({ description: "How many calls of the organization's other projects wait for it" }),
});

function toRecord({ connection, limit }: ConnectionLimit): z.input<typeof limitRecord> {
  const { subject, name, max, used, left, resets_at, waiting, waiting_others } = limit;
  const measured = { subject, name, max, used, left, resets_at, waiting, waiting_others };
  return { connection_id: connection.id, system: connection.system, ...measured };
}

/** A subject can be of any length, so the cursor is a digest. */
const cursorOf = ({ connection_id: id, subject, name }: z.input<typeof limitRecord>): string =>
  createHash("sha256").update(`${id}\n${subject}\n${name}`).digest("base64url");

export const limitOperations = [
  operation({
    path: "/latest/limits/list",
    area: "limits",
    summary: "List every limit of the external systems: used, left, when it resets, and who waits",
    description:
      "A limit belongs to an account at the system. Everyone in your organization who uses that account shares it, in every project. Usage by other organizations is never shown: if they share a quota of the vendor with you, the vendor's responses correct these figures. A limit that only the system knows is listed once the system has reported it; the limits of a web analytics property, after its first call.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(limitRecord),
    example: {},
    async run(scope, input, rooms) {
      const viewer = { organizationId: scope.actor.organizationId, projectId: projectOf(scope) };
      const limits = await listConnectionLimits(viewer, rooms.steps.limits, rooms.vault);
      return pageAmong(limits.map(toRecord), input, cursorOf);
    },
  }),
];
