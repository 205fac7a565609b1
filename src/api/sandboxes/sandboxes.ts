import * as z from "zod";
import { externalOperation, type Rooms } from "../../calls/define-operation.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/list-pages.ts";
import { Problem } from "../../kernel/problem.ts";
import { systemIds } from "../../systems/index.ts";
import { samples as shown } from "../../systems/samples.ts";
import type { NewFault, SandboxControl, SandboxFault, SandboxState } from "../../transport/sandbox-control.ts";
import { timeField } from "../shared-fields.ts";

const systemField = z
  .enum(systemIds as [string, ...string[]])
  .meta({ description: "The system that it stands in for" });

/** What can be made to happen. The list is fixed: nobody posts a fault of their own through this API. */
const kinds = {
  unavailable: { status: 503, body: { error: { code: "unavailable", message: "Ordered in the console." } } },
  server_error: { status: 500, body: { error: { code: "internal", message: "Ordered in the console." } } },
  rate_limited: { status: 429, headers: { "retry-after": "20" }, body: { error: { code: "rate_limited" } } },
  refused: { status: 403, body: { error: { code: "forbidden", message: "Ordered in the console." } } },
  slow: { delay_ms: 5000 },
  no_connection: { drop: "before" },
  lost_answer: { drop: "after" },
  garbage: { status: 200, body: "<html>This is not JSON." },
} as const satisfies Record<string, Omit<NewFault, "match" | "times">>;

type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as [Kind, ...Kind[]];

const faultRecord = z.object({
  fault_id: z.string().meta({ description: "Names the fault" }),
  method: z.string().nullable().meta({ description: "Only calls with this method; null: any" }),
  path: z.string().nullable().meta({ description: "Only calls of this path, without query; null: any" }),
  times: z.int().meta({ description: "To how many further calls it applies" }),
  status: z.int().nullable().meta({ description: "The status of the response; null if it does not respond itself" }),
  delay_ms: z.number().nullable().meta({ description: "How long it delays a call; null: not at all" }),
  drop: z
    .enum(["before", "after"])
    .nullable()
    .meta({ description: "The connection is cut before anything happens, or after the call was carried out" }),
});
z.globalRegistry.add(faultRecord, { id: "SandboxFault" });

const toFault = (fault: SandboxFault): z.input<typeof faultRecord> => ({
  fault_id: fault.fault_id,
  method: fault.match.method ?? null,
  path: fault.match.path ?? null,
  times: fault.times,
  status: fault.status ?? null,
  delay_ms: fault.delay_ms ?? null,
  drop: fault.drop ?? null,
});

const sandboxRecord = z.object({
  system: systemField,
  url: z.string().meta({ description: "Where its API is" }),
  now: timeField.nullable().meta({ description: "Its own clock; null while it does not respond" }),
  faults: z.array(faultRecord).meta({ description: "Its pending faults" }),
});
z.globalRegistry.add(sandboxRecord, { id: "Sandbox" });

const toRecord = ({ system, url, now, faults }: SandboxState): z.input<typeof sandboxRecord> => ({
  system,
  url,
  now,
  faults: faults.map(toFault),
});

const requestRecord = z.object({
  created_at: timeField.meta({ description: "When it was received, by the machine's clock" }),
  method: z.string(),
  path: z.string(),
  status: z.int().meta({ description: "The status of the response; 0 without a response" }),
  identity: z.string().nullable().meta({ description: "Whose call it was; null if unknown" }),
});
z.globalRegistry.add(requestRecord, { id: "SandboxRequest" });

/** "Only where the server runs its own sandboxes." */
function controlOf({ sandboxes }: Rooms): SandboxControl {
  if (sandboxes === null) throw new Problem("sandboxes_not_own");
  return sandboxes;
}

type System = Parameters<SandboxControl["reset"]>[0];
const refuses = ["sandboxes_not_own", "sandbox_unreachable"] as const;

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Problem("sandbox_unreachable", undefined, { cause: error });
  }
}

const pathOfCalls = z
  .string()
  .max(500)
  .regex(/^\/[!-~]*$/)
  .refine((path) => !path.includes("?"), { error: "Without query." });

export const sandboxOperations = [
  externalOperation({
    path: "/latest/sandboxes/list",
    area: "sandboxes",
    summary: "List the sandboxes that this server runs, with their clocks and faults",
    description: "Empty if it runs none of its own.",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(sandboxRecord),
    example: {},
    async run(_, input, { sandboxes }) {
      const all = sandboxes === null ? [] : (await sandboxes.states()).map(toRecord);
      return pageAmong(all, input, ({ system }) => system);
    },
  }),
  externalOperation({
    path: "/latest/sandboxes/{system}/requests",
    area: "sandboxes",
    summary: "List the last calls that a sandbox received, newest first",
    needs: "organization owner",
    audit: null,
    refuses: [...refuses],
    input: z.object({
      system: systemField,
      limit: z.int().min(1).max(100).default(50).meta({ description: "How many at most" }),
    }),
    output: z.object({ results: z.array(requestRecord), next: z.null() }),
    example: { system: shown.system.id },
    async run(_, input, rooms) {
      const requests = await reached(controlOf(rooms).requests(input.system as System, input.limit));
      const results = requests.map(({ at, ...request }) => ({ created_at: at, ...request }));
      return { results, next: null };
    },
  }),
  externalOperation({
    path: "/latest/sandboxes/{system}/advance_clock",
    area: "sandboxes",
    summary: "Move the clock of a sandbox forward",
    description: "What is due there meanwhile happens: deployments end, tokens expire, limits refill.",
    needs: "organization owner",
    audit: "sandbox.clock_advanced",
    answersWithChange: true,
    refuses: [...refuses],
    input: z.object({
      system: systemField,
      seconds: z.int().min(1).max(31_536_000).meta({ description: "By how much, a year at most" }),
    }),
    output: z.object({ system: systemField, now: timeField }),
    example: { system: shown.system.id, seconds: 3600 },
    async run(scope, { system, seconds }, rooms) {
      const now = await reached(controlOf(rooms).advance(system as System, seconds));
      return scope.change(async () => ({ value: { system, now }, target: system, details: { seconds } }));
    },
  }),
  externalOperation({
    path: "/latest/sandboxes/{system}/add_fault",
    area: "sandboxes",
    summary: "Make the next calls of a sandbox fail",
    description:
      "`unavailable` 503, `server_error` 500, `rate_limited` 429, `refused` 403, `slow` five seconds late, `no_connection` cut before anything happens, `lost_answer` carried out and then cut, `garbage` a response that cannot be read.",
    needs: "organization owner",
    audit: "sandbox.fault_added",
    answersWithChange: true,
    refuses: [...refuses],
    input: z.object({
      system: systemField,
      kind: z.enum(kindNames).meta({ description: "What goes wrong" }),
      times: z.int().min(1).max(1000).default(1).meta({ description: "How many calls it meets" }),
      method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
      path: pathOfCalls.optional().meta({ description: "Only calls of exactly this path, without query" }),
    }),
    output: faultRecord,
    example: { system: shown.system.id, kind: "lost_answer", method: "POST" },
    async run(scope, { system, kind, times, method, path }, rooms) {
      const match = { ...(method && { method }), ...(path && { path }) };
      const fault = await reached(controlOf(rooms).addFault(system as System, { ...kinds[kind], match, times }));
      const details = { kind, times, method, path };
      return scope.change(async () => ({ value: toFault(fault), target: system, details }));
    },
  }),
  externalOperation({
    path: "/latest/sandboxes/{system}/remove_fault",
    area: "sandboxes",
    summary: "Remove a fault",
    needs: "organization owner",
    audit: "sandbox.fault_removed",
    answersWithChange: true,
    refuses: [...refuses, "fault_not_found"],
    input: z.object({ system: systemField, fault_id: z.string().min(1).max(100).meta({ description: "The fault" }) }),
    output: z.object({ fault_id: z.string(), removed: z.literal(true) }),
    example: { system: shown.system.id, fault_id: "1" },
    async run(scope, { system, fault_id }, rooms) {
      const isThere = await reached(controlOf(rooms).removeFault(system as System, fault_id));
      if (!isThere) throw new Problem("fault_not_found");
      const value = { fault_id, removed: true as const };
      return scope.change(async () => ({ value, target: system, details: { fault_id } }));
    },
  }),
  externalOperation({
    path: "/latest/sandboxes/{system}/reset",
    area: "sandboxes",
    summary: "Reset a sandbox to its initial state",
    description:
      "Records, faults, limits, request log and clock. The credentials and the grants of connections keep working.",
    needs: "organization owner",
    audit: "sandbox.reset",
    answersWithChange: true,
    refuses: [...refuses],
    input: z.object({ system: systemField }),
    output: z.object({ system: systemField, reset: z.literal(true) }),
    example: { system: shown.system.id },
    async run(scope, { system }, rooms) {
      await reached(controlOf(rooms).reset(system as System));
      return scope.change(async () => ({ value: { system, reset: true as const }, target: system, details: {} }));
    },
  }),
];
