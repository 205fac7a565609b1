import { projectOf, type Scope } from "../access/scope.ts";
import { evaluatorFor } from "../expressions/evaluate.ts";
import { newId } from "../kernel/ids.ts";
import { canonicalJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { SystemId } from "../systems/index.ts";
import type { Compute, ComputeFor } from "../untrusted/compute.ts";
import { requireConnectionIn } from "../vault/connections.ts";
import type { ToolDefinition } from "./definition.ts";
import { connectionIdsOf, examine, type Findings, findTooLarge, textsOf } from "./mistakes.ts";
import { findSchemaMistakes } from "./params.ts";
import { type Renaming, renameStepIn } from "./rename-step.ts";
import {
  findTool,
  findVersion,
  insertTool,
  insertVersion,
  listToolSizes as listToolRowSizes,
  listTools as listToolRows,
  listVersionSizes as listVersionRowSizes,
  listVersions as listVersionRows,
  type Tool,
  type ToolVersion,
  updateTool,
} from "./tools.store.ts";

export type { Tool, ToolVersion } from "./tools.store.ts";

/** As large as the column takes. */
export const versionMax = 2 ** 31 - 1;

export async function requireTool(db: Db, projectId: string, toolId: string): Promise<Tool> {
  const tool = await findTool(db, projectId, toolId);
  if (!tool) throw new Problem("tool_not_found");
  return tool;
}

export const listTools = (db: Db, projectId: string, page: { after: string; limit: number }): Promise<Tool[]> =>
  listToolRows(db, projectId, page);

export const listToolSizes = (db: Db, projectId: string, page: { after: string; limit: number }): Promise<number[]> =>
  listToolRowSizes(db, projectId, page);

/** What is wrong with a definition in this project, and what looks wrong. It may wait for another process. */
export async function examineIn(
  db: Db,
  projectId: string,
  definition: ToolDefinition,
  on: ComputeFor,
): Promise<Findings> {
  const tooLarge = findTooLarge(definition);
  if (tooLarge.length > 0) return { mistakes: tooLarge, warnings: [] };
  const schemaMistakes = await findSchemaMistakes(definition.params_schema, on);
  const read = await evaluatorFor(on).read(textsOf(definition));
  const systems = new Map<string, SystemId | null>();
  // What no id looks like is not asked for: there are characters that a database cannot even compare.
  const ids = connectionIdsOf(definition).filter((id) => /^[\x21-\x7e]+$/.test(id));
  for (const id of ids) systems.set(id, await systemOfConnection(db, projectId, id));
  return examine(definition, { connectionSystem: (id) => systems.get(id) ?? null, schemaMistakes, read });
}

const systemOfConnection = (db: Db, projectId: string, id: string): Promise<SystemId | null> =>
  requireConnectionIn(db, projectId, id).then(
    ({ system }) => system,
    (error) => {
      if (error instanceof Problem && error.code === "connection_not_found") return null;
      throw error;
    },
  );

/** "Saving validates": what is kept has no mistake that can be seen beforehand. Before the transaction that keeps it. */
export async function requireSound(scope: Scope, definition: ToolDefinition, compute: Compute): Promise<void> {
  const on = { compute, organizationId: scope.actor.organizationId };
  const { mistakes } = await examineIn(scope.db, projectOf(scope), definition, on);
  if (mistakes.length > 0) throw new Problem("validation_failed", unsound, { errors: mistakes });
}

export const unsound = "The tool would not work as it is written.";

/** Keeps a definition that was found sound. */
export async function createTool(scope: Scope, definition: ToolDefinition): Promise<Tool> {
  const now = scope.now().toISOString();
  const tool: Tool = {
    id: newId("tool", scope.region),
    organizationId: scope.actor.organizationId,
    projectId: projectOf(scope),
    definition,
    revision: 1,
    publishedVersion: null,
    createdBy: scope.actor.userId,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  await insertTool(scope.db, tool);
  return tool;
}

/** Which draft a change was made from; left out, it goes onto whatever is there. */
export interface Basis {
  toolId: string;
  revision?: number | undefined;
}

/** The tool as a change was made from it. */
export async function requireBasis(scope: Scope, { toolId, revision }: Basis): Promise<Tool> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  if (revision !== undefined && revision !== tool.revision) throw new Problem("tool_changed");
  return tool;
}

/**
 * Makes a definition that was found sound the draft of the tool, unless that has changed since. Runs that are under way go
 * on with what they were started with.
 */
export const keepDraft = (scope: Scope, tool: Tool, definition: ToolDefinition): Promise<Tool> =>
  keep(scope, tool, { definition });

async function keep(scope: Scope, tool: Tool, changed: Partial<Tool>): Promise<Tool> {
  const kept = { ...tool, ...changed, revision: tool.revision + 1, updatedAt: scope.now().toISOString() };
  if (!(await updateTool(scope.db, kept, tool.revision))) throw new Problem("tool_changed");
  return kept;
}

/** The draft, found sound, becomes what runs use. One that is published already stays the version that it is. */
export async function publishDraft(
  scope: Scope,
  tool: Tool,
  note: string | null,
): Promise<{ tool: Tool; version: number }> {
  const [latest] = await listVersionRows(scope.db, tool.id, { before: versionMax, limit: 1 });
  if (latest && latest.version === tool.publishedVersion && isSame(latest.definition, tool.definition)) {
    return { tool, version: latest.version };
  }
  const version = (latest?.version ?? 0) + 1;
  await insertVersion(scope.db, {
    toolId: tool.id,
    version,
    definition: tool.definition,
    note,
    createdBy: scope.actor.userId,
    createdAt: scope.now().toISOString(),
  });
  return { tool: await keep(scope, tool, { publishedVersion: version }), version };
}

const isSame = (a: ToolDefinition, b: ToolDefinition): boolean => canonicalJson(a) === canonicalJson(b);

export async function listVersions(
  db: Db,
  projectId: string,
  toolId: string,
  page: { before: number; limit: number },
): Promise<ToolVersion[]> {
  await requireTool(db, projectId, toolId);
  return listVersionRows(db, toolId, page);
}

/** Of a tool that may be another project's: nothing is told of it but by `listVersions`. */
export const listVersionSizes = (db: Db, toolId: string, page: { before: number; limit: number }): Promise<number[]> =>
  listVersionRowSizes(db, toolId, page);

async function requireVersion(db: Db, toolId: string, version: number): Promise<ToolVersion> {
  const found = await findVersion(db, toolId, version);
  if (!found) throw new Problem("tool_version_not_found");
  return found;
}

/** A published version, to become the draft again. What runs use changes when that is published. */
export const versionToRestore = async (scope: Scope, toolId: string, version: number): Promise<ToolDefinition> =>
  (await requireVersion(scope.db, toolId, version)).definition;

export async function renameStep(draft: ToolDefinition, from: string, to: string, on: ComputeFor): Promise<Renaming> {
  if (!draft.steps.some(({ name }) => name === from)) throw refused("#/from", `The tool has no step ${from}.`);
  if (from !== to && draft.steps.some(({ name }) => name === to)) {
    throw refused("#/to", `Another step is called ${to} already.`);
  }
  return renameStepIn(draft, from, to, await evaluatorFor(on).read(textsOf(draft)));
}

const refused = (pointer: string, detail: string): Problem =>
  new Problem("validation_failed", detail, { errors: [{ pointer, code: "invalid_value", detail }] });

/** Its runs stay, and those under way go on; nothing starts it any longer. */
export async function deleteTool(scope: Scope, toolId: string): Promise<void> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  await keep(scope, tool, { deletedAt: scope.now().toISOString() });
}

/** The definition that a run uses: the published one, else the draft, unless another one is asked for. */
export async function definitionFor(
  db: Db,
  tool: Tool,
  version: "draft" | "published" | number = tool.publishedVersion === null ? "draft" : "published",
): Promise<{ definition: ToolDefinition; version: number | null }> {
  if (version === "draft") return { definition: tool.definition, version: null };
  const number = version === "published" ? tool.publishedVersion : version;
  if (number === null) throw new Problem("tool_version_not_found", "The tool was never published.");
  return { definition: (await requireVersion(db, tool.id, number)).definition, version: number };
}
