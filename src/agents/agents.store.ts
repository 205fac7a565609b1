import type { Db, Row, Value } from "../store/db.ts";
import type { Agent, AllowedStep, Rule, Signature } from "./agent-record.ts";

/** The columns that a change may set, in the order of `changingValues`. */
const changing = [
  ...["name", "instructions", "tools", "steps", "model", "approval", "rules", "signature", "paused"],
  ...["turns_max", "tokens_max", "minutes_max", "updated_at", "run_as"],
];

const changingValues = (agent: Agent): Value[] => [
  agent.name,
  agent.instructions,
  JSON.stringify(agent.tools),
  JSON.stringify(agent.steps),
  agent.model,
  agent.approval,
  JSON.stringify(agent.rules),
  agent.signature,
  agent.paused ? 1 : 0,
  agent.turnsMax,
  agent.tokensMax,
  agent.minutesMax,
  agent.updatedAt,
  agent.runAs,
];

const columns = ["id", "organization_id", "project_id", "sealed", "created_by", "created_at", ...changing].join(", ");

const toAgent = (row: Row): Agent => ({
  id: String(row.id),
  organizationId: String(row.organization_id),
  projectId: String(row.project_id),
  name: String(row.name),
  instructions: String(row.instructions),
  tools: JSON.parse(String(row.tools)) as string[],
  steps: JSON.parse(String(row.steps)) as AllowedStep[],
  model: row.model as string | null,
  approval: row.approval as Agent["approval"],
  rules: JSON.parse(String(row.rules)) as Rule[],
  signature: row.signature as Signature,
  paused: row.paused === 1,
  turnsMax: Number(row.turns_max),
  tokensMax: Number(row.tokens_max),
  minutesMax: Number(row.minutes_max),
  sealed: String(row.sealed),
  runAs: String(row.run_as),
  createdBy: String(row.created_by),
  createdAt: String(row.created_at),
  updatedAt: String(row.updated_at),
});

export async function insertAgent(db: Db, agent: Agent, tokenHash: string, dataKeyId: string): Promise<void> {
  const own: Value[] = [
    agent.id,
    agent.organizationId,
    agent.projectId,
    agent.sealed,
    agent.createdBy,
    agent.createdAt,
  ];
  const values = [...own, ...changingValues(agent), tokenHash, dataKeyId];
  const marks = values.map((_, index) => `$${index + 1}`).join(", ");
  await db.query(`insert into agents (${columns}, token_hash, data_key_id) values (${marks})`, values);
}

export async function updateAgent(db: Db, agent: Agent): Promise<void> {
  const sets = changing.map((column, index) => `${column} = $${index + 2}`).join(", ");
  await db.query(`update agents set ${sets} where id = $1`, [agent.id, ...changingValues(agent)]);
}

export async function replaceAgentSecrets(db: Db, id: string, sealed: string, dataKeyId: string): Promise<void> {
  await db.query("update agents set sealed = $2, data_key_id = $3 where id = $1", [id, sealed, dataKeyId]);
}

export async function findAgent(db: Db, projectId: string, id: string): Promise<Agent | null> {
  const [row] = await db.query(`select ${columns} from agents where project_id = $1 and id = $2`, [projectId, id]);
  return row ? toAgent(row) : null;
}

export async function findAgentByToken(db: Db, id: string, tokenHash: string): Promise<Agent | null> {
  const [row] = await db.query(`select ${columns} from agents where token_hash = $1 and id = $2`, [tokenHash, id]);
  return row ? toAgent(row) : null;
}

export async function findAgentById(db: Db, id: string): Promise<Agent | null> {
  const [row] = await db.query(`select ${columns} from agents where id = $1`, [id]);
  return row ? toAgent(row) : null;
}

/** Locks the row until the transaction ends, so events of a paused agent are counted one at a time. */
export async function lockAgent(db: Db, id: string): Promise<{ paused: boolean } | null> {
  const [row] = await db.query<{ paused: number }>(`select paused from agents where id = $1 ${db.lockRow}`, [id]);
  return row ? { paused: row.paused === 1 } : null;
}

/** Null if the agent was deleted. */
export async function isPaused(db: Db, id: string): Promise<boolean | null> {
  const [row] = await db.query<{ paused: number }>("select paused from agents where id = $1", [id]);
  return row ? row.paused === 1 : null;
}

export async function listAgents(db: Db, projectId: string, page: { after: string; limit: number }): Promise<Agent[]> {
  const rows = await db.query(`select ${columns} from agents where project_id = $1 and id > $2 order by id limit $3`, [
    projectId,
    page.after,
    page.limit,
  ]);
  return rows.map(toAgent);
}

/** In the same order, without reading the agents themselves. */
export async function listAgentSizes(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<number[]> {
  const rows = await db.query<{ bytes: number }>(
    `select octet_length(instructions) + octet_length(rules) as bytes from agents
      where project_id = $1 and id > $2 order by id limit $3`,
    [projectId, page.after, page.limit],
  );
  return rows.map(({ bytes }) => Number(bytes));
}

export async function deleteAgent(db: Db, id: string): Promise<void> {
  await db.query("delete from agents where id = $1", [id]);
}
