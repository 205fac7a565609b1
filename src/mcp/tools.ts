import type { Tool } from "@modelcontextprotocol/server";
import { toDetail } from "../api/steps/step-response.ts";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { rowsThatFit } from "../store/page-rows.ts";
import type { Step } from "../systems/define.ts";
import { steps } from "../systems/index.ts";
import { effectsOf } from "../tools/effects.ts";
import { giveName, listPublished, listPublishedSizes, type PublishedTool } from "../tools/tool-names.ts";
import type { Connection } from "../vault/vault.ts";
import type { Caller } from "./caller.ts";
import { resultOfStep, resultOfTool } from "./output-schemas.ts";
import { portableSchema } from "./portable-schema.ts";

/** The tools of a project for assistants: the steps, then the published tools, in an order that stays. */

const pageMax = 50;
const accountsMax = 100;

type ObjectSchema = Tool["inputSchema"];

export async function listTools(
  { projectId, allowed }: Caller,
  { cursor, isModern }: { cursor: string | undefined; isModern: boolean },
  { store, rooms }: RegionContext,
): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const after = cursor ?? "";
  if (!/^[\x21-\x7e]{0,200}$/.test(after)) throw new Problem("validation_failed", "The cursor is of another list.");
  const page = { after, limit: pageMax + 1 };
  const limit = rowsThatFit(await listPublishedSizes(store, projectId, page), pageMax);
  const found = await listPublished(store, projectId, { ...page, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const tools: Tool[] = [];
  if (cursor === undefined) {
    const accounts = await usableAccounts(projectId, rooms.vault);
    tools.push(...steps.map((step) => toolOfStep(step, accounts)));
  }
  for (const tool of shown) {
    // Tools that were published before names existed get theirs here.
    const { title } = tool.definition;
    const name = tool.name ?? (await store.transaction((db) => giveName(db, projectId, { id: tool.id, title })));
    tools.push({
      ...toolOfPublished(name, tool),
      outputSchema: resultOfTool(tool.definition, isModern) as ObjectSchema,
    });
  }
  const last = shown.at(-1);
  const visible = tools.filter((tool) => mayUse(allowed, tool));
  return { tools: visible, ...(found.length > limit && last && { nextCursor: last.id }) };
}

/** Whether a person allowed it to the assistant. */
const mayUse = (allowed: Caller["allowed"], { name, annotations }: Tool): boolean =>
  allowed === null ||
  ((allowed.tools?.includes(name) ?? true) && (!allowed.readOnly || annotations?.readOnlyHint === true));

export function requireAllowed({ allowed }: Caller, tool: Tool): void {
  if (!mayUse(allowed, tool)) throw new Problem("tool_not_allowed");
}

/** Accounts that can be used now. */
export async function usableAccounts(
  projectId: string,
  vault: RegionContext["rooms"]["vault"],
  system?: Connection["system"],
): Promise<Connection[]> {
  const listed = await vault.list(projectId, { after: "", limit: accountsMax, system });
  return listed.filter(({ state }) => state === "connected");
}

interface ShownStep {
  title: string;
  description: string;
  input: ObjectSchema;
}

/** Written once: steps never change. */
const shownSteps = new Map<Step, ShownStep>(
  steps.map((step) => {
    const { title, description, input_schema: input } = toDetail(step);
    return [step, { title, description, input: portableSchema(input) as ObjectSchema }];
  }),
);

export const toolOfStep = (step: Step, accounts: Connection[]): Tool => {
  const { title, description, input } = shownSteps.get(step) as ShownStep;
  const own = accounts.filter(({ system }) => system === step.system.id);
  return {
    name: step.id,
    title,
    description,
    inputSchema: withAccount(input, step, own),
    outputSchema: resultOfStep(step.id),
    annotations: {
      title,
      readOnlyHint: step.effect === "read",
      destructiveHint: step.effect === "delete" || step.effect === "update",
      idempotentHint: step.effect === "read",
      openWorldHint: true,
    },
  };
};

/** "Each with `connection_id` added to its input (it may be left out where the project has exactly one usable connection)." */
function withAccount(schema: ObjectSchema, { system }: Step, accounts: Connection[]): ObjectSchema {
  const listed = accounts.map(({ id, label }) => `${id} (${label})`).join(", ");
  const description =
    accounts.length === 1
      ? `The ${system.title} account to use: ${listed}. It may be left out.`
      : `The ${system.title} account to use: ${listed || "none is connected yet"}.`;
  const isNeeded = accounts.length > 1;
  return {
    ...schema,
    properties: { connection_id: { type: "string", description }, ...schema.properties },
    required: [...(isNeeded ? ["connection_id"] : []), ...(schema.required ?? [])],
  };
}

export const toolOfPublished = (name: string, { definition }: PublishedTool): Tool => ({
  name,
  title: definition.title,
  description: definition.description ?? definition.title,
  inputSchema: { properties: {}, ...definition.params_schema, type: "object" },
  annotations: { title: definition.title, ...hintsOf(definition) },
});

/** A tool does what its steps do. */
function hintsOf(definition: PublishedTool["definition"]): Tool["annotations"] {
  const effects = effectsOf(definition);
  const isRead = effects.every((effect) => effect === "read");
  return {
    readOnlyHint: isRead,
    destructiveHint: effects.some((effect) => effect === "delete" || effect === "update"),
    idempotentHint: isRead,
    openWorldHint: true,
  };
}
