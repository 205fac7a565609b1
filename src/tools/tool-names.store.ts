import type { Db } from "../store/db.ts";
import type { ToolDefinition } from "./definition.ts";
import { readDefinition } from "./stored-definition.ts";

export interface ToolName {
  projectId: string;
  name: string;
  toolId: string;
}

/** Does nothing where the tool has a name, or the name a tool. */
export async function insertName(db: Db, { projectId, name, toolId }: ToolName): Promise<void> {
  await db.query("insert into tool_names (project_id, name, tool_id) values ($1, $2, $3) on conflict do nothing", [
    projectId,
    name,
    toolId,
  ]);
}

/** The tool's own name, and every given name that starts with these letters. A `_` in them matches any letter: that is a few more. */
export async function listNamesLike(db: Db, projectId: string, toolId: string, start: string): Promise<ToolName[]> {
  const rows = await db.query<{ name: string; tool_id: string }>(
    "select name, tool_id from tool_names where project_id = $1 and (name like $2 or tool_id = $3)",
    [projectId, `${start}%`, toolId],
  );
  return rows.map((row) => ({ projectId, name: row.name, toolId: row.tool_id }));
}

export interface PublishedTool {
  id: string;
  /** Null until the tool is given one. */
  name: string | null;
  definition: ToolDefinition;
}

interface PublishedRow {
  id: string;
  name: string | null;
  definition: string;
}

const toPublished = ({ id, name, definition }: PublishedRow): PublishedTool => ({
  id,
  name,
  definition: readDefinition(definition),
});

const published = `tools t join tool_versions v on v.tool_id = t.id and v.version = t.published_version
  left join tool_names n on n.tool_id = t.id`;

/** The published tools in the order in which they were created, as they are published. */
export async function listPublished(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<PublishedTool[]> {
  const rows = await db.query<PublishedRow>(
    `select t.id, n.name, v.definition from ${published}
      where t.project_id = $1 and t.deleted_at is null and t.id > $2 order by t.id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(toPublished);
}

/** In the same order, without reading the tools themselves. */
export async function listPublishedSizes(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ bytes: number }>(
    `select octet_length(v.definition) as bytes from ${published}
      where t.project_id = $1 and t.deleted_at is null and t.id > $2 order by t.id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(({ bytes }) => Number(bytes));
}

/** Null where no published tool of the project has this name. */
export async function findPublished(db: Db, projectId: string, name: string): Promise<PublishedTool | null> {
  const [row] = await db.query<PublishedRow>(
    `select t.id, n.name, v.definition from ${published}
      where n.project_id = $1 and n.name = $2 and t.project_id = $1 and t.deleted_at is null`,
    [projectId, name],
  );
  return row ? toPublished(row) : null;
}
