import type { Db } from "../../store/db.ts";

/** A person in a directory. */
export interface DirectoryPerson {
  userId: string;
  directoryId: string;
  userName: string;
  externalId: string | null;
  /** The name that groups show. */
  display: string;
  /** The attributes that the directory sent, as JSON. */
  resource: string;
  active: boolean;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  /** Increases with every change that the directory makes. */
  revision: number;
}

export interface PersonRow {
  user_id: string;
  directory_id: string;
  user_name: string;
  external_id: string | null;
  display: string;
  resource: string;
  active: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  revision: number;
}

export const toPerson = (row: PersonRow): DirectoryPerson => ({
  userId: row.user_id,
  directoryId: row.directory_id,
  userName: row.user_name,
  externalId: row.external_id,
  display: row.display,
  resource: row.resource,
  active: row.active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  revision: row.revision,
});

const selectPerson = `select p.*, u.active from directory_people p join users u on u.id = p.user_id`;

export async function insertPerson(db: Db, person: DirectoryPerson, userNameKey: string): Promise<void> {
  await db.query(
    `insert into directory_people (user_id, directory_id, user_name, user_name_key, external_id, display, resource,
                                   created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      person.userId,
      person.directoryId,
      person.userName,
      userNameKey,
      person.externalId,
      person.display,
      person.resource,
      person.createdAt,
      person.updatedAt,
    ],
  );
}

/** Keeps the count of people in the same transaction. */
export async function adjustPeopleCount(db: Db, directoryId: string, difference: 1 | -1): Promise<void> {
  await db.query(
    "update directories set people = people + $2, comings_and_goings = comings_and_goings + 1 where id = $1",
    [directoryId, difference],
  );
}

export async function updatePersonRow(db: Db, person: DirectoryPerson, userNameKey: string): Promise<void> {
  await db.query(
    `update directory_people set user_name = $2, user_name_key = $3, external_id = $4, display = $5, resource = $6,
                                 updated_at = $7, revision = $8, deleted_at = null where user_id = $1`,
    [
      person.userId,
      person.userName,
      userNameKey,
      person.externalId,
      person.display,
      person.resource,
      person.updatedAt,
      person.revision,
    ],
  );
}

export async function findPerson(db: Db, directoryId: string, userId: string): Promise<DirectoryPerson | null> {
  const [row] = await db.query<PersonRow>(
    `${selectPerson} where p.user_id = $2 and p.directory_id = $1 and p.deleted_at is null`,
    [directoryId, userId],
  );
  return row ? toPerson(row) : null;
}

/** The person with this user name, deleted ones excluded. */
export async function findHolder(db: Db, directoryId: string, userNameKey: string): Promise<string | null> {
  const [row] = await db.query<{ user_id: string }>(
    "select user_id from directory_people where directory_id = $1 and user_name_key = $2 and deleted_at is null",
    [directoryId, userNameKey],
  );
  return row?.user_id ?? null;
}

/** The person last deleted with both this user name and this external id. */
export async function findDeleted(
  db: Db,
  directoryId: string,
  userNameKey: string,
  externalId: string,
): Promise<DirectoryPerson | null> {
  const [row] = await db.query<PersonRow>(
    `${selectPerson} where p.directory_id = $1 and p.external_id = $2 and p.user_name_key = $3
       and p.deleted_at is not null
      order by p.deleted_at desc, p.user_id desc limit 1`,
    [directoryId, externalId, userNameKey],
  );
  return row ? toPerson(row) : null;
}

export async function isInAnyDirectory(db: Db, userId: string): Promise<boolean> {
  return (await db.query("select 1 from directory_people where user_id = $1", [userId])).length > 0;
}

export async function markPersonDeleted(db: Db, userId: string, at: string): Promise<void> {
  await db.query("update directory_people set deleted_at = $2, updated_at = $2 where user_id = $1", [userId, at]);
}
