import { giveWay } from "../kernel/work-in-slices.ts";
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
  runs: number;
  last_run_id: string;
  first_run_id: string;
}

/**
 * Newest first. Each is found by an index that leads from one conversation to the next, however many runs the agent has; of each, all runs
 * are counted, and others come between.
 */
export async function listConversations(
  db: Db,
  projectId: string,
  agentId: string,
  page: { after: string; limit: number },
): Promise<Conversation[]> {
  const giving = giveWay();
  const found: Omit<Conversation, "startedAt" | "lastAt">[] = [];
  let id = await findConversationBefore(db, agentId, page.after);
  while (id !== null && found.length < page.limit) {
    const [row] = await db.query<ConversationRow>(
      `select count(*) as runs, max(id) as last_run_id, min(id) as first_run_id from runs
        where agent_id = $1 and conversation_id = $2`,
      [agentId, id],
    );
    if (row) found.push({ id, runs: Number(row.runs), lastRunId: row.last_run_id, firstRunId: row.first_run_id });
    id = await findConversationBefore(db, agentId, id);
    await giving();
  }
  const times = await readTimes(db, projectId, found);
  return found.flatMap((each) => {
    const [startedAt, lastAt] = [times.get(each.firstRunId), times.get(each.lastRunId)];
    return startedAt === undefined || lastAt === undefined ? [] : [{ ...each, startedAt, lastAt }];
  });
}

async function findConversationBefore(db: Db, agentId: string, before: string): Promise<string | null> {
  const [row] = await db.query<{ conversation_id: string }>(
    `select conversation_id from runs where agent_id = $1 and conversation_id is not null
        ${before === "" ? "" : "and conversation_id < $2"}
      order by conversation_id desc limit 1`,
    before === "" ? [agentId] : [agentId, before],
  );
  return row?.conversation_id ?? null;
}

async function readTimes(
  db: Db,
  projectId: string,
  conversations: readonly Pick<Conversation, "firstRunId" | "lastRunId">[],
): Promise<Map<string, string>> {
  if (conversations.length === 0) return new Map();
  const ids = conversations.flatMap(({ firstRunId, lastRunId }) => [firstRunId, lastRunId]);
  const marks = ids.map((_, index) => `$${index + 2}`).join(", ");
  const rows = await db.query<{ id: string; created_at: string }>(
    `select id, created_at from runs where project_id = $1 and id in (${marks})`,
    [projectId, ...ids],
  );
  return new Map(rows.map(({ id, created_at }) => [id, created_at]));
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
