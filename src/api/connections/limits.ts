import { createHash } from "node:crypto";
import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { operation } from "../../calls/define.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/pages.ts";
import type { LimitState, Limits, Viewer } from "../../limits/limits.ts";
import type { Demand } from "../../systems/define.ts";
import { systems } from "../../systems/index.ts";
import type { Connection, Vault } from "../../vault/vault.ts";
import { timeField } from "../fields.ts";

const limitRecord = z.object({
  connection_id: z.string(),
  system: z.string(),
  subject: z.string().meta({
    description:
      "Whose limit it is at the system: an instance, a team, a property. All of your organization who use it share what is left",
  }),
  name: z.string(),
  max: z.number().nullable().meta({ description: "Null as long as the system has not told it" }),
  used: z.number().meta({ description: "Calls under way are in it" }),
  left: z.number().nullable().meta({ description: "Null where `max` is" }),
  resets_at: timeField.nullable().meta({
    description:
      "When it starts anew, or, where its window slides, when the next place is free; null where nothing is used",
  }),
  waiting: z
    .array(
      z.object({
        caller: z.string().meta({ description: "The account that waits" }),
        since: timeField.meta({ description: "Since when it waits" }),
        run_id: z.string(),
      }),
    )
    .meta({ description: "Calls of this project that wait for it, in the order of the line" }),
  waiting_others: z.int().meta({ description: "How many calls of the organization's other projects wait for it" }),
});

const connectionsAtOnce = 100;

async function connectionsOf(projectId: string, vault: Vault): Promise<Connection[]> {
  const all: Connection[] = [];
  for (let after = ""; ; after = all.at(-1)?.id ?? "") {
    const page = await vault.list(projectId, { after, limit: connectionsAtOnce });
    all.push(...page);
    if (page.length < connectionsAtOnce) return all.filter(({ state }) => state !== "removed");
  }
}

/**
 * The limits that any call of this connection meets, whether or not it has made one. An account with several addresses
 * has none of that kind: its limits depend on what is asked.
 */
function demandsOf(connection: Connection): Demand[] {
  const { main } = connection.addresses;
  const facts = systems.find(({ id }) => id === connection.system);
  if (main === undefined || facts === undefined) return [];
  const anything = { method: "GET", api: "main", path: "/", effect: "read", idempotent: true } as const;
  return facts.demands(anything, main, connection).filter(({ kind }) => kind !== "reported");
}

const nameOf = ({ subject, name }: { subject: string; name: string }): string => `${subject}\n${name}`;

async function limitsOf(viewer: Viewer, limits: Limits, vault: Vault): Promise<z.input<typeof limitRecord>[]> {
  const met = await limits.ofProject(viewer);
  const shown: z.input<typeof limitRecord>[] = [];
  for (const connection of await connectionsOf(viewer.projectId, vault)) {
    const always = await limits.states(demandsOf(connection), viewer);
    const names = new Set(always.map(nameOf));
    const more: LimitState[] = met.filter((each) => each.connectionId === connection.id && !names.has(nameOf(each)));
    for (const { subject, name, max, used, left, resets_at, waiting, waiting_others } of [...always, ...more]) {
      const limit = { subject, name, max, used, left, resets_at, waiting, waiting_others };
      shown.push({ connection_id: connection.id, system: connection.system, ...limit });
    }
  }
  return shown;
}

/** The system decides how long a subject is, so the cursor is a digest. */
const cursorOf = ({ connection_id: id, subject, name }: z.input<typeof limitRecord>): string =>
  createHash("sha256").update(`${id}\n${subject}\n${name}`).digest("base64url");

export const limitOperations = [
  operation({
    path: "/latest/limits/list",
    area: "limits",
    summary: "List every limit of the external systems: used, left, when it resets, and who waits",
    description:
      "A limit belongs to an account at the system and is shared by all of your organization who use it there, in this project or another. What other organizations use is never shown: where they share one quota of the vendor with you, the vendor's own answers correct these figures. Limits that only the system knows are listed once it has told them, and those of a property of web analytics once it was asked.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(limitRecord),
    example: {},
    async run(scope, input, rooms) {
      const viewer = { organizationId: scope.actor.organizationId, projectId: projectOf(scope) };
      return pageAmong(await limitsOf(viewer, rooms.steps.limits, rooms.vault), input, cursorOf);
    },
  }),
];
