import { projectOf, type Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { canonicalJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import type { SystemId } from "../systems/define.ts";
import { requireConnectionIn } from "../vault/connections.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { connectionIdsOf, examine, type Findings } from "./tool-mistakes.ts";
import { type Renaming, renameStepIn } from "./tool-rename.ts";
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

/** What is wrong with a definition in this project, and what looks wrong. */
export async function examineIn(db: Db, projectId: string, definition: ToolDefinition): Promise<Findings> {
  const systems = new Map<string, SystemId | null>();
  // What no id looks like is not asked for: there are characters that a database cannot even compare.
  const ids = connectionIdsOf(definition).filter((id) => /^[\x21-\x7e]+$/.test(id));
  for (const id of ids) systems.set(id, await systemOfConnection(db, projectId, id));
  return examine(definition, { connectionSystem: (id) => systems.get(id) ?? null });
}

const systemOfConnection = (db: Db, projectId: string, id: string): Promise<SystemId | null> =>
  requireConnectionIn(db, projectId, id).then(
    ({ system }) => system,
    (error) => {
      if (error instanceof Problem && error.code === "connection_not_found") return null;
      throw error;
    },
  );

/** "Saving validates": what is kept has no mistake that can be seen beforehand. */
async function requireSound(db: Db, projectId: string, definition: ToolDefinition): Promise<void> {
  const { mistakes } = await examineIn(db, projectId, definition);
  if (mistakes.length > 0) throw new Problem("validation_failed", unsound, { errors: mistakes });
}

export const unsound = "The tool would not work as it is written.";

export async function createTool(scope: Scope, definition: ToolDefinition): Promise<Tool> {
  const projectId = projectOf(scope);
  await requireSound(scope.db, projectId, definition);
  const now = scope.now().toISOString();
  const tool: Tool = {
    id: newId("tool", scope.region),
    organizationId: scope.actor.organizationId,
    projectId,
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

/** Changes the draft. Runs that are under way go on with what they were started with. */
export async function changeDraft(
  scope: Scope,
  { toolId, revision }: Basis,
  change: (draft: ToolDefinition, tool: Tool) => ToolDefinition | Promise<ToolDefinition>,
): Promise<Tool> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  if (revision !== undefined && revision !== tool.revision) throw new Problem("tool_changed");
  const definition = await change(tool.definition, tool);
  await requireSound(scope.db, tool.projectId, definition);
  return keep(scope, tool, { definition });
}

async function keep(scope: Scope, tool: Tool, changed: Partial<Tool>): Promise<Tool> {
  const kept = { ...tool, ...changed, revision: tool.revision + 1, updatedAt: scope.now().toISOString() };
  if (!(await updateTool(scope.db, kept, tool.revision))) throw new Problem("tool_changed");
  return kept;
}

/** The draft becomes what runs use. A draft that is published already stays the version that it is. */
export async function publishTool(
  scope: Scope,
  { toolId, revision }: Basis,
  note: string | null,
): Promise<{ tool: Tool; version: number }> {
  const tool = await requireTool(scope.db, projectOf(scope), toolId);
  if (revision !== undefined && revision !== tool.revision) throw new Problem("tool_changed");
  await requireSound(scope.db, tool.projectId, tool.definition);
  const [latest] = await listVersionRows(scope.db, toolId, { before: versionMax, limit: 1 });
  if (latest && latest.version === tool.publishedVersion && isSame(latest.definition, tool.definition)) {
    return { tool, version: latest.version };
  }
  const version = (latest?.version ?? 0) + 1;
  await insertVersion(scope.db, {
    toolId,
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

/** Makes a published version the draft again. What runs use changes when that is published. */
export const restoreVersion = (scope: Scope, basis: Basis, version: number): Promise<Tool> =>
  changeDraft(scope, basis, async () => (await requireVersion(scope.db, basis.toolId, version)).definition);

export async function renameStep(
  scope: Scope,
  basis: Basis,
  from: string,
  to: string,
): Promise<{ tool: Tool; renaming: Renaming }> {
  let renaming: Renaming | undefined;
  const tool = await changeDraft(scope, basis, (draft) => {
    if (!draft.steps.some(({ name }) => name === from)) throw refused("#/from", `The tool has no step ${from}.`);
    if (from !== to && draft.steps.some(({ name }) => name === to)) {
      throw refused("#/to", `Another step is called ${to} already.`);
    }
    renaming = renameStepIn(draft, from, to);
    return renaming.definition;
  });
  return { tool, renaming: renaming as Renaming };
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
