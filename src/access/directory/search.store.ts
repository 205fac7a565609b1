import type { Store, Value } from "../../store/db.ts";
import type { Condition } from "./condition.ts";
import { columns, compile, type RecordKind } from "./condition-sql.ts";
import { type Group, type GroupRow, toGroup } from "./groups.ts";
import { cursorBefore, keepCursor } from "./page-cursors.ts";
import { type DirectoryPerson, type PersonRow, termOf, toPerson } from "./people.ts";
import type { InTurn } from "./search-queue.ts";

export interface Paging {
  /** How many results to skip. */
  offset: number;
  limit: number;
}

export interface SearchPorts {
  store: Store;
  inTurn: InTurn;
}

export interface Found<T> {
  total: number;
  page: T[];
}

/** In the order of creation, which never changes: the same page returns the same people, as far as they still exist. */
export async function findPeople(
  ports: SearchPorts,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<Found<DirectoryPerson>> {
  if (!condition) return listPeople(ports.store, directoryId, paging);
  const query = await queryFor(ports, "people", directoryId, condition);
  const { where, values, total } = await count(query, "people", directoryId, condition);
  if (paging.limit === 0 || paging.offset >= total) return { total, page: [] };
  const rows = await query<PersonRow>(peoplePage(where, values.length), [...values, paging.limit, paging.offset]);
  return { total, page: rows.map(toPerson) };
}

/** A page of people stops at this size: each person can have a picture, and a page up to two hundred people. */
const pageBytesMax = 2 * 1024 * 1024;

const peoplePage = (where: string, values: number): string =>
  `select p.*, u.active from
     (select user_id, sum(bytes) over (order by user_id) - bytes as bytes_before from
       (select s.user_id, octet_length(s.resource) as bytes from
         (select r.user_id from directory_people r where ${where} order by r.user_id
           limit $${values + 1} offset $${values + 2}) found
         join directory_people s on s.user_id = found.user_id) sized) page
     join directory_people p on p.user_id = page.user_id join users u on u.id = p.user_id
    where page.bytes_before < ${pageBytesMax} order by p.user_id`;

const allPeoplePage = peoplePage("r.directory_id = $1 and r.deleted_at is null and r.user_id > $2", 2);

/** Lists all people, starting at the nearest remembered cursor. */
async function listPeople(db: Store, directoryId: string, { offset, limit }: Paging): Promise<Found<DirectoryPerson>> {
  const [directory] = await db.query<{ people: number; comings_and_goings: number }>(
    "select people, comings_and_goings from directories where id = $1",
    [directoryId],
  );
  const { people: total = 0, comings_and_goings: version = 0 } = directory ?? {};
  if (limit === 0 || offset >= total) return { total, page: [] };
  const cursor = cursorBefore(db, directoryId, version, offset);
  const rows = await db.query<PersonRow>(allPeoplePage, [
    directoryId,
    cursor?.userId ?? "",
    limit,
    offset - (cursor?.offset ?? 0),
  ]);
  const last = rows.at(-1);
  if (last) keepCursor(db, directoryId, version, { offset: offset + rows.length, userId: last.user_id });
  return { total, page: rows.map(toPerson) };
}

export async function findGroups(
  ports: SearchPorts,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<Found<Group>> {
  const query = await queryFor(ports, "groups", directoryId, condition);
  const { where, values, total } = await count(query, "groups", directoryId, condition);
  if (paging.limit === 0 || paging.offset >= total) return { total, page: [] };
  const rows = await query<GroupRow>(
    `select r.* from directory_groups r where ${where} order by r.id
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, paging.limit, paging.offset],
  );
  return { total, page: rows.map(toGroup) };
}

type RunQuery = <R>(sql: string, values: readonly Value[]) => Promise<R[]>;

/** A value with fewer rows than this is fast to find and count. */
const selectiveRowsMax = 100;

/**
 * Runs a condition that an index serves at once. Any other has an unknown cost and runs in the directory's queue, where
 * it does not delay other requests.
 */
async function queryFor(
  { store, inTurn }: SearchPorts,
  kind: RecordKind,
  directoryId: string,
  condition: Condition | null,
): Promise<RunQuery> {
  const isIndexed =
    condition === null
      ? await hasFew(store, kind, directoryId)
      : await isSelective(store, kind, directoryId, condition);
  if (isIndexed) return (sql, values) => store.query(sql, values);
  return (sql, values) => inTurn(directoryId, () => store.querySlow(sql, values));
}

/** So many are counted, and skipped up to a page far behind, in an instant. */
const fewRowsMax = 5_000;

async function hasFew(store: Store, kind: RecordKind, directoryId: string): Promise<boolean> {
  const from = kind === "people" ? "directory_people" : "directory_groups";
  const [found] = await store.query<{ rows: number }>(
    `select count(*) as rows from (select 1 from ${from} where directory_id = $1 limit ${fewRowsMax}) as counted`,
    [directoryId],
  );
  return Number(found?.rows) < fewRowsMax;
}

async function isSelective(
  store: Store,
  kind: RecordKind,
  directoryId: string,
  condition: Condition,
): Promise<boolean> {
  if (condition.kind === "all" && condition.of.length <= 3) {
    for (const each of condition.of) if (!(await isSelective(store, kind, directoryId, each))) return false;
    return true;
  }
  if (condition.kind === "column") {
    const { column, test } = condition;
    const name = columns[kind][column];
    if (test.op !== "eq" || !name || column === "created" || column === "lastModified") return false;
    const notDeleted = kind === "people" ? " and deleted_at is null" : "";
    const from = kind === "people" ? "directory_people" : "directory_groups";
    const rows = await store.query(
      `select 1 from ${from} where directory_id = $1 and ${name} = $2${notDeleted} limit ${selectiveRowsMax}`,
      [directoryId, test.text],
    );
    return rows.length < selectiveRowsMax;
  }
  if (condition.kind !== "value" || condition.test.op !== "eq") return false;
  const rows = await store.query(
    `select 1 from directory_values where directory_id = $1 and attribute = $2 and term = $3 limit ${selectiveRowsMax}`,
    [directoryId, condition.attribute, termOf(condition.test.text)],
  );
  return rows.length < selectiveRowsMax;
}

async function count(query: RunQuery, kind: RecordKind, directoryId: string, condition: Condition | null) {
  const { where, values } = compile(kind, directoryId, condition);
  const from = kind === "people" ? "directory_people" : "directory_groups";
  const [row] = await query<{ total: number }>(`select count(*) as total from ${from} r where ${where}`, values);
  return { where, values, total: row?.total ?? 0 };
}
