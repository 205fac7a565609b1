import type { Db } from "../store/db.ts";
import type { ToolDefinition } from "./definition.ts";
import { definitionText, readDefinition } from "./stored-definition.ts";

export interface Tool {
  id: string;
  organizationId: string;
  projectId: string;
  /** The draft. */
  definition: ToolDefinition;
  revision: number;
  publishedVersion: number | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
}

/** A published version, which never changes. */
export interface ToolVersion {
  toolId: string;
  version: number;
  definition: ToolDefinition;
  note: string | null;
  createdBy: string;
  createdAt: string;
}

interface ToolRow {
  id: string;
  organization_id: string;
  project_id: string;
  definition: string;
  revision: number;
  published_version: number | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

// The server wrote these texts itself, so they need no validation.
const toTool = (row: ToolRow): Tool => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  definition: readDefinition(row.definition),
  revision: row.revision,
  publishedVersion: row.published_version,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
});

const columns = `id, organization_id, project_id, definition, revision, published_version, created_by, created_at,
  updated_at, deleted_at`;

export async function insertTool(db: Db, tool: Tool): Promise<void> {
  await db.query(`insert into tools (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, [
    tool.id,
    tool.organizationId,
    tool.projectId,
    definitionText(tool.definition),
    tool.revision,
    tool.publishedVersion,
    tool.createdBy,
    tool.createdAt,
    tool.updatedAt,
    tool.deletedAt,
  ]);
}

/** Null for a tool that is deleted, or in another project. */
export async function findTool(db: Db, projectId: string, toolId: string): Promise<Tool | null> {
  const [row] = await db.query<ToolRow>(
    `select ${columns} from tools where id = $1 and project_id = $2 and deleted_at is null`,
    [toolId, projectId],
  );
  return row ? toTool(row) : null;
}

/** In the order in which they were created. */
export async function listTools(db: Db, projectId: string, page: { after: string; limit: number }): Promise<Tool[]> {
  const rows = await db.query<ToolRow>(
    `select ${columns} from tools where project_id = $1 and deleted_at is null and id > $2 order by id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(toTool);
}

/** The published version of each tool of a project that has one, in the order of their ids. */
export async function readPublishedVersions(db: Db, projectId: string): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; published_version: number }>(
    `select id, published_version from tools
      where project_id = $1 and deleted_at is null and published_version is not null order by id limit 1000`,
    [projectId],
  );
  return new Map(rows.map(({ id, published_version: version }) => [id, version]));
}

/** In the same order, without reading the tools themselves. */
export const listToolSizes = (db: Db, projectId: string, page: { after: string; limit: number }): Promise<number[]> =>
  sizesOf(
    db.query<{ bytes: number }>(
      `select octet_length(definition) as bytes from tools
        where project_id = $1 and deleted_at is null and id > $2 order by id limit $3`,
      [projectId, page.after, page.limit],
    ),
  );

const sizesOf = async (rows: Promise<{ bytes: number }[]>): Promise<number[]> =>
  (await rows).map(({ bytes }) => Number(bytes));

/** Writes only if the tool has not changed since it was read. */
export async function updateTool(db: Db, tool: Tool, readAt: number): Promise<boolean> {
  const rows = await db.query(
    `update tools set definition = $2, revision = $3, published_version = $4, updated_at = $5, deleted_at = $6
      where id = $1 and revision = $7 and deleted_at is null returning id`,
    [
      tool.id,
      definitionText(tool.definition),
      tool.revision,
      tool.publishedVersion,
      tool.updatedAt,
      tool.deletedAt,
      readAt,
    ],
  );
  return rows.length > 0;
}

interface VersionRow {
  tool_id: string;
  version: number;
  definition: string;
  note: string | null;
  created_by: string;
  created_at: string;
}

const toVersion = (row: VersionRow): ToolVersion => ({
  toolId: row.tool_id,
  version: row.version,
  definition: readDefinition(row.definition),
  note: row.note,
  createdBy: row.created_by,
  createdAt: row.created_at,
});

const versionColumns = "tool_id, version, definition, note, created_by, created_at";

export async function insertVersion(db: Db, version: ToolVersion): Promise<void> {
  await db.query(`insert into tool_versions (${versionColumns}) values ($1, $2, $3, $4, $5, $6)`, [
    version.toolId,
    version.version,
    definitionText(version.definition),
    version.note,
    version.createdBy,
    version.createdAt,
  ]);
}

export async function findVersion(db: Db, toolId: string, version: number): Promise<ToolVersion | null> {
  const [row] = await db.query<VersionRow>(
    `select ${versionColumns} from tool_versions where tool_id = $1 and version = $2`,
    [toolId, version],
  );
  return row ? toVersion(row) : null;
}

/** Newest first. */
export async function listVersions(
  db: Db,
  toolId: string,
  page: { before: number; limit: number },
): Promise<ToolVersion[]> {
  const rows = await db.query<VersionRow>(
    `select ${versionColumns} from tool_versions where tool_id = $1 and version < $2 order by version desc limit $3`,
    [toolId, page.before, page.limit],
  );
  return rows.map(toVersion);
}

/** The tool may belong to another project: `listVersions` of `tools.ts` checks that. */
export const listVersionSizes = (db: Db, toolId: string, page: { before: number; limit: number }): Promise<number[]> =>
  sizesOf(
    db.query<{ bytes: number }>(
      `select octet_length(definition) as bytes from tool_versions
        where tool_id = $1 and version < $2 order by version desc limit $3`,
      [toolId, page.before, page.limit],
    ),
  );
