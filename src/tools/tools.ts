import { projectOf, type Scope } from "../access/scope.ts";
import { evaluatorFor } from "../expressions/evaluate.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { canonicalJson } from "../kernel/strict-json.ts";
import type { Db } from "../store/db.ts";
import type { SystemId } from "../systems/index.ts";
import type { Compute, ComputeFor } from "../untrusted/compute.ts";
import { requireConnectionIn } from "../vault/connections.ts";
import type { ToolDefinition } from "./definition.ts";
import { connectionIdsOf, examine, type Findings, findTooLarge, textsOf } from "./find-mistakes.ts";
import { findSchemaMistakes } from "./params.ts";
import { type Renaming, renameStepIn } from "./rename-step.ts";
import { giveName } from "./tool-names.ts";
import {
  findTool,
  findVersion,
  insertTool,
  insertVersion,
  listVersions as listVersionRows,
  type Tool,
  type ToolVersion,
  updateTool,
} from "./tools.store.ts";

export {
  findTool,
  listToolSizes,
  listTools,
  listVersionSizes,
  readPublishedVersions,
  type Tool,
  type ToolVersion,
} from "./tools.store.ts";

/** The maximum of the column. */
export const versionMax = 2 ** 31 - 1;

export async function requireTool(db: Db, projectId: string, toolId: string): Promise<Tool> {
  const tool = await findTool(db, projectId, toolId);
  if (!tool) throw new Problem("tool_not_found");
  return tool;
}

/** The mistakes and warnings of a definition in this project. It may wait for another process. */
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
  // Only valid ids are queried: a database cannot compare some characters.
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

/**
 * "Saving validates": a saved definition has no mistake that can be found beforehand. Called before the transaction
 * that saves it.
 */
export async function requireSound(scope: Scope, definition: ToolDefinition, compute: Compute): Promise<void> {
  const on = { compute, organizationId: scope.actor.organizationId };
  const { mistakes } = await examineIn(scope.db, projectOf(scope), definition, on);
  if (mistakes.length > 0) throw new Problem("validation_failed", unsound, { errors: mistakes });
}

export const unsound = "The tool would not work as it is written.";

/** Call `requireSound` first. */
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

/** The draft that a change was made from; without a revision, the change applies to the current one. */
export interface Basis {
  toolId: string;
  revision?: number | undefined;
}

/** The tool, unless it has changed since the caller read it. */
export async function requireBasis(scope: Scope, { toolId, revision }: Basis): Promise<Tool> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  if (revision !== undefined && revision !== tool.revision) throw new Problem("tool_changed");
  return tool;
}

/**
 * Saves a definition as the draft of the tool, unless that has changed since. Runs under way keep the definition that
 * they were started with. Call `requireSound` first.
 */
export const updateDraft = (scope: Scope, tool: Tool, definition: ToolDefinition): Promise<Tool> =>
  save(scope, tool, { definition });

async function save(scope: Scope, tool: Tool, changed: Partial<Tool>): Promise<Tool> {
  const saved = { ...tool, ...changed, revision: tool.revision + 1, updatedAt: scope.now().toISOString() };
  if (!(await updateTool(scope.db, saved, tool.revision))) throw new Problem("tool_changed");
  return saved;
}

/** Publishes the draft, after `requireSound`. A draft that is published already keeps its version. */
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
  await giveName(scope.db, tool.projectId, { id: tool.id, title: tool.definition.title });
  return { tool: await save(scope, tool, { publishedVersion: version }), version };
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

async function requireVersion(db: Db, toolId: string, version: number): Promise<ToolVersion> {
  const found = await findVersion(db, toolId, version);
  if (!found) throw new Problem("tool_version_not_found");
  return found;
}

/** A published version, to become the draft again. Runs use it once that is published. */
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

/** Its runs stay, and those under way continue; nothing can start it any more. */
export async function deleteTool(scope: Scope, toolId: string): Promise<void> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  await save(scope, tool, { deletedAt: scope.now().toISOString() });
}

/** The definition that a run uses: the published one, else the draft, unless the caller asks for another. */
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
