import type { Db } from "../store/db.ts";

/** A conversation with an agent: a sequence of runs. */
export interface Conversation {
  id: string;
  runs: number;
  startedAt: string;
  lastAt: string;
  lastRunId: string;
  firstRunId: string;
}

interface ConversationRow {
  conversation_id: string;
  runs: number;
  started_at: string;
  last_at: string;
  last_run_id: string;
  first_run_id: string;
}

/** Newest first. */
export async function listConversations(
  db: Db,
  projectId: string,
  agentId: string,
  page: { after: string; limit: number },
): Promise<Conversation[]> {
  const rows = await db.query<ConversationRow>(
    `select conversation_id, count(*) as runs, min(created_at) as started_at, max(created_at) as last_at,
            max(id) as last_run_id, min(id) as first_run_id
       from runs
      where agent_id = $2 and project_id = $1 and conversation_id is not null and ($3 = '' or conversation_id < $3)
      group by conversation_id order by conversation_id desc limit $4`,
    [projectId, agentId, page.after, page.limit],
  );
  return rows.map((row) => ({
    id: row.conversation_id,
    runs: Number(row.runs),
    startedAt: row.started_at,
    lastAt: row.last_at,
    lastRunId: row.last_run_id,
    firstRunId: row.first_run_id,
  }));
}

/** The first characters of the params of runs, by run. They may be cut anywhere. */
export async function readParamsBeginnings(
  db: Db,
  runIds: readonly string[],
  characters: number,
): Promise<Map<string, string>> {
  if (runIds.length === 0) return new Map();
  const marks = runIds.map((_, index) => `$${index + 2}`).join(", ");
  const rows = await db.query<{ id: string; beginning: string }>(
    `select id, substr(params, 1, $1) as beginning from runs where id in (${marks})`,
    [characters, ...runIds],
  );
  return new Map(rows.map(({ id, beginning }) => [id, beginning]));
}
