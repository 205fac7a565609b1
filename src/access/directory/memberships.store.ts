import type { Db } from "../../store/db.ts";
import { inBatches, placeholders } from "./batches.ts";

// Combines the actions that several groups grant, in the format of permissions.ts: weakest first, separated by spaces.
const actions = `trim(case when max(r.viewer) = 1 then 'role:viewer ' else '' end ||
                      case when max(r.editor) = 1 then 'role:editor ' else '' end ||
                      case when max(r.admin) = 1 then 'admin' else '' end)`;
const role = `case when max(r.admin) = 1 then 'admin' when max(r.editor) = 1 then 'editor' else 'viewer' end`;
const ownRole = `case when own_actions like '%admin%' then 'admin' when own_actions like '%role:editor%' then 'editor'
                 else 'viewer' end`;

// A membership from groups that no group grants any longer. It counts per row: PostgreSQL turns `not exists` into a
// join, and while a group is being filled it lacks the statistics to plan that well (measured: 0.6 s a batch).
const isUngranted = `managed = 1 and
  (select count(*) from directory_group_members m join directory_group_roles r on r.group_id = m.group_id
    where m.user_id = memberships.user_id and r.project_id = memberships.project_id) = 0`;

/** People who join a project by their groups. */
export interface Joined {
  projectId: string;
  userIds: string[];
}

// Counted per row, as above.
const isNoMember = `(select count(*) from memberships s where s.project_id = r.project_id and s.user_id = m.user_id) = 0`;

/**
 * Derives people's memberships from their groups: the union of what these grant. A membership that was given by hand is
 * kept aside and restored when the last group is left; otherwise the membership ends. Four statements for each batch.
 * Returns who joined which project.
 */
export async function recomputeMemberships(db: Db, userIds: string[], at: string): Promise<Joined[]> {
  const joined = new Map<string, string[]>();
  for await (const batch of inBatches(userIds)) {
    const among = `in (${placeholders(batch.length, 1)})`;
    const newcomers = await db.query<{ project_id: string; user_id: string }>(
      `select distinct r.project_id, m.user_id
         from directory_group_members m join directory_group_roles r on r.group_id = m.group_id
        where m.user_id ${among} and ${isNoMember}`,
      batch,
    );
    for (const { project_id: id, user_id } of newcomers) {
      const here = joined.get(id);
      if (here) here.push(user_id);
      else joined.set(id, [user_id]);
    }
    await db.query(
      `insert into memberships (project_id, user_id, actions, role, created_at, managed)
       select r.project_id, m.user_id, ${actions}, ${role}, $${batch.length + 1}, 1
         from directory_group_members m join directory_group_roles r on r.group_id = m.group_id
        where m.user_id ${among} group by r.project_id, m.user_id
       on conflict (project_id, user_id) do update set actions = excluded.actions, role = excluded.role,
         own_actions = case when memberships.managed = 1 then memberships.own_actions else memberships.actions end,
         managed = 1`,
      [...batch, at],
    );
    await db.query(
      `update memberships set actions = own_actions, role = ${ownRole}, managed = 0, own_actions = null
        where user_id ${among} and own_actions is not null and ${isUngranted}`,
      batch,
    );
    await db.query(`delete from memberships where user_id ${among} and own_actions is null and ${isUngranted}`, batch);
  }
  return [...joined].map(([projectId, ids]) => ({ projectId, userIds: ids }));
}

export async function deleteMembershipsOf(db: Db, userId: string): Promise<void> {
  await db.query("delete from directory_group_members where user_id = $1", [userId]);
  await db.query("delete from memberships where user_id = $1", [userId]);
}
