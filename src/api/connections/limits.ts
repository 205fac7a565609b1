import { createHash } from "node:crypto";
import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { operation } from "../../calls/define-operation.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/list-pages.ts";
import { type ConnectionLimit, listConnectionLimits } from "../../limits/connection-limits.ts";
import { keptHours, type LimitHistory, stepSeconds } from "../../limits/history/history.ts";
import { timeField } from "../shared-fields.ts";

const subjectField = z.string().meta({
  description:
    "What the limit applies to at the system: an instance, a team, a property. Everyone in your organization who uses it shares what is left",
});

const limitRecord = z.object({
  connection_id: z.string(),
  system: z.string(),
  subject: subjectField,
  name: z.string(),
  kind: z.enum(["window", "calendar", "concurrent", "reported"]).meta({
    description:
      "How it refills: `window` slides, `calendar` resets at fixed times, `concurrent` counts calls at once, `reported` is as the system reports in its responses",
  }),
  window_seconds: z.number().nullable().meta({ description: "The length of a sliding window; null otherwise" }),
  max: z
    .number()
    .nullable()
    .meta({ description: "Null until the system has reported it, or if more was used than assumed" }),
  assumed: z.boolean().meta({
    description:
      "`max` is the least that the system gives: set `daily_quota` of the connection to what the subscription has",
  }),
  used: z.number().meta({ description: "Includes calls in progress" }),
  reserved: z.number().meta({ description: "What calls in progress hold; part of `used`" }),
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
z.globalRegistry.add(limitRecord, { id: "Limit" });

type Listed = z.input<typeof limitRecord>;

function toRecord({ connection, limit }: ConnectionLimit): z.input<typeof limitRecord> {
  const { subject, name, kind, window_seconds, ...rest } = limit;
  const { max, assumed, used, reserved, left, resets_at, waiting, waiting_others } = rest;
  const measured = { max, assumed, used, reserved, left, resets_at, waiting, waiting_others };
  return { connection_id: connection.id, system: connection.system, subject, name, kind, window_seconds, ...measured };
}

const historyRecord = z.object({
  connection_id: z.string(),
  subject: subjectField,
  name: z.string(),
  since: timeField.meta({ description: "The start of the first interval" }),
  step_seconds: z.int().meta({ description: "The length of each interval" }),
  used: z.array(z.number().nullable()).meta({
    description: "The largest use within each interval, oldest first; null before the first that is known",
  }),
  exhausted_at: timeField.nullable().meta({
    description: "When it will be exhausted at the rate of the last hour; null if it lasts until it resets",
  }),
});
z.globalRegistry.add(historyRecord, { id: "LimitHistory" });

/** A subject can be of any length, so the cursor is a digest. */
const cursorOf = ({ connection_id: id, subject, name }: Pick<Listed, "connection_id" | "subject" | "name">): string =>
  createHash("sha256").update(`${id}\n${subject}\n${name}`).digest("base64url");

export const limitOperations = [
  operation({
    path: "/latest/limits/list",
    area: "limits",
    summary: "List every limit of the external systems: used, left, when it resets, and who waits",
    description:
      "A limit belongs to an account at the system. Everyone in your organization who uses that account shares it, in every project. Usage by other organizations is never shown: if they share a quota of the vendor with you, the vendor's responses correct these figures. A limit that only the system knows is listed once the system has reported it; the limits of a single resource, such as a property, after its first call.",
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
  operation({
    path: "/latest/limits/history",
    area: "limits",
    summary: "Read how much of each limit was used in the last hours, and when it will be exhausted",
    description:
      "The same limits as `limits/list`, in the same order. The use of the last 24 hours is kept in intervals of five minutes, measured every few seconds while there are calls.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({
      ...pageInput,
      hours: z.int().min(1).max(keptHours).default(6).meta({ description: "How far back, 1 to 24" }),
    }),
    output: pageOutput(historyRecord),
    example: { hours: 6 },
    async run(scope, input, rooms) {
      const viewer = { organizationId: scope.actor.organizationId, projectId: projectOf(scope) };
      const { limits } = rooms.steps;
      const listed = await listConnectionLimits(viewer, limits, rooms.vault);
      const page = pageAmong(listed, input, (each) => cursorOf(toRecord(each)));
      const shown = page.results.map(({ limit }) => limit);
      const histories = await limits.history(shown, viewer, input.hours);
      const results = page.results.map(({ connection, limit: { subject, name } }, index) => ({
        connection_id: connection.id,
        subject,
        name,
        step_seconds: stepSeconds,
        ...(histories[index] as LimitHistory),
      }));
      return { results, next: page.next };
    },
  }),
];
