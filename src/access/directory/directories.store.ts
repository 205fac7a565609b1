import { nextTurn } from "../../kernel/work-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { inBatches, placeholders } from "./batches.ts";

/** An organization's connection to its identity provider. */
export interface Directory {
  id: string;
  organizationId: string;
  label: string;
  createdAt: string;
}

interface DirectoryRow {
  id: string;
  organization_id: string;
  label: string;
  created_at: string;
}

const toDirectory = (row: DirectoryRow): Directory => ({
  id: row.id,
  organizationId: row.organization_id,
  label: row.label,
  createdAt: row.created_at,
});

export async function insertDirectory(db: Db, directory: Directory): Promise<void> {
  await db.query("insert into directories (id, organization_id, label, created_at) values ($1, $2, $3, $4)", [
    directory.id,
    directory.organizationId,
    directory.label,
    directory.createdAt,
  ]);
}

export async function findDirectoryRow(db: Db, id: string): Promise<Directory | null> {
  const [row] = await db.query<DirectoryRow>("select * from directories where id = $1", [id]);
  return row ? toDirectory(row) : null;
}

export async function listDirectoryRows(
  db: Db,
  organizationId: string,
  page: { after: string; limit: number },
): Promise<Directory[]> {
  const rows = await db.query<DirectoryRow>(
    "select * from directories where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, page.after, page.limit],
  );
  return rows.map(toDirectory);
}

export async function countResources(db: Db, directoryId: string): Promise<{ people: number; groups: number }> {
  const [row] = await db.query<{ people: number; groups: number }>(
    `select people, (select count(*) from directory_groups where directory_id = $1) as groups
       from directories where id = $1`,
    [directoryId],
  );
  return { people: row?.people ?? 0, groups: row?.groups ?? 0 };
}

const peopleAtOnce = 256;
const groupsAtOnce = 512;

/** What is left, a batch in each turn of the event loop, as long as each batch is deleted. */
async function* batchesOf(next: () => Promise<string[]>): AsyncGenerator<string[]> {
  for (let ids = await next(); ids.length > 0; ids = await next()) {
    yield* inBatches(ids);
    await nextTurn();
  }
}

/**
 * Deletes everything of the directory except the accounts. Memberships from groups stay and become editable by hand.
 * Runs in batches: a directory can have a hundred thousand people.
 */
export async function deleteDirectoryRows(db: Db, id: string): Promise<void> {
  await db.query("delete from directory_requests where directory_id = $1", [id]);
  const people = () =>
    db.query<{ user_id: string }>("select user_id from directory_people where directory_id = $1 limit $2", [
      id,
      peopleAtOnce,
    ]);
  for await (const batch of batchesOf(async () => (await people()).map(({ user_id }) => user_id))) {
    const among = `in (${placeholders(batch.length, 1)})`;
    await db.query(
      `update memberships set managed = 0, own_actions = null where managed = 1 and user_id ${among}`,
      batch,
    );
    await db.query(`delete from directory_group_members where user_id ${among}`, batch);
    await db.query(`delete from directory_values where owner_id ${among}`, batch);
    await db.query(`delete from directory_people where user_id ${among}`, batch);
  }
  const groups = () =>
    db.query<{ id: string }>("select id from directory_groups where directory_id = $1 limit $2", [id, groupsAtOnce]);
  for await (const batch of batchesOf(async () => (await groups()).map((group) => group.id))) {
    const among = `in (${placeholders(batch.length, 1)})`;
    await db.query(`delete from directory_group_roles where group_id ${among}`, batch);
    await db.query(`delete from directory_groups where id ${among}`, batch);
  }
  await db.query("delete from directory_tokens where directory_id = $1", [id]);
  await db.query("delete from directories where id = $1", [id]);
}
