import * as z from "zod";
import { operation, type Rooms } from "../../calls/define-operation.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/list-pages.ts";
import { guidePathOf, type System } from "../../systems/define.ts";
import { type SystemId, steps, systems } from "../../systems/index.ts";

const instanceField = z.object({
  instance: z.enum(["live", "sandbox"]),
  available: z.boolean(),
  /** Why it cannot be used, and how to change that. */
  reason: z.string().nullable(),
  ways: z
    .array(z.string())
    .meta({ description: "How an account is connected: `oauth`, `client_credentials`, `token`, `service_account`" }),
  addresses: z.record(z.string(), z.string()),
});
z.globalRegistry.add(instanceField, { id: "SystemInstance" });

const systemRecord = z.object({
  system: z.string(),
  title: z.string(),
  vendor: z.string().meta({ description: "The product it is compatible with" }),
  guide: z
    .string()
    .nullable()
    .meta({ description: "Path of the page that shows how an account is connected, step by step" }),
  steps: z.array(z.string()),
  instances: z.array(instanceField),
});
z.globalRegistry.add(systemRecord, { id: "System" });

const toRecord = (system: System<SystemId>, rooms: Rooms): z.input<typeof systemRecord> => ({
  system: system.id,
  title: system.title,
  vendor: system.vendor,
  guide: system.guide && `/latest/documentation/${guidePathOf(system)}`,
  steps: steps.filter((step) => step.system.id === system.id).map((step) => step.id),
  instances: rooms.vault.instancesOf(system.id),
});

export const systemOperations = [
  operation({
    path: "/latest/systems/list",
    area: "systems",
    summary: "List the external systems, and how an account of each is connected",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(systemRecord),
    example: {},
    async run(_scope, input, rooms) {
      const all = systems.map((system) => toRecord(system, rooms));
      return pageAmong(all, input, ({ system }) => system);
    },
  }),
];
