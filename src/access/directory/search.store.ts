import { type Store, type Value, varies } from "../../store/db.ts";
import { type Column, type Condition, countTests, type Test } from "./condition.ts";
import { type Group, type GroupRow, toGroup } from "./groups.ts";
import { cursorBefore, keepCursor } from "./page-cursors.ts";
import { type DirectoryPerson, type PersonRow, termOf, toPerson } from "./people.ts";
import { inTurn } from "./search-queue.ts";

export interface Paging {
  /** How many results to skip. */
  offset: number;
  limit: number;
}

interface Found<T> {
  total: number;
  page: T[];
}

/** In the order of creation, which never changes: the same page returns the same people, as far as they still exist. */
export async function searchPeople(
  store: Store,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<Found<DirectoryPerson>> {
  if (!condition) return listPeople(store, directoryId, paging);
  const asking = await askingOf(store, "people", directoryId, condition);
  const { where, values, total } = await count(asking, "people", directoryId, condition);
  if (paging.limit === 0 || paging.offset >= total) return { total, page: [] };
  const rows = await asking<PersonRow>(peoplePage(where, values.length), [...values, paging.limit, paging.offset]);
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

const everybodyPage = peoplePage("r.directory_id = $1 and r.deleted_at is null and r.user_id > $2", 2);

/** Lists all people, starting at the nearest remembered cursor. */
async function listPeople(db: Store, directoryId: string, { offset, limit }: Paging): Promise<Found<DirectoryPerson>> {
  const [directory] = await db.query<{ people: number; comings_and_goings: number }>(
    "select people, comings_and_goings from directories where id = $1",
    [directoryId],
  );
  const { people: total = 0, comings_and_goings: version = 0 } = directory ?? {};
  if (limit === 0 || offset >= total) return { total, page: [] };
  const start = cursorBefore(db, directoryId, version, offset);
  const rows = await db.query<PersonRow>(everybodyPage, [
    directoryId,
    start?.userId ?? "",
    limit,
    offset - (start?.passed ?? 0),
  ]);
  const last = rows.at(-1);
  if (last) keepCursor(db, directoryId, version, { passed: offset + rows.length, userId: last.user_id });
  return { total, page: rows.map(toPerson) };
}

export async function searchGroups(
  store: Store,
  directoryId: string,
  condition: Condition | null,
  paging: Paging,
): Promise<Found<Group>> {
  const asking = await askingOf(store, "groups", directoryId, condition);
  const { where, values, total } = await count(asking, "groups", directoryId, condition);
  if (paging.limit === 0 || paging.offset >= total) return { total, page: [] };
  const rows = await asking<GroupRow>(
    `select r.* from directory_groups r where ${where} order by r.id
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, paging.limit, paging.offset],
  );
  return { total, page: rows.map(toGroup) };
}

type Kind = "people" | "groups";

type Asking = <R>(sql: string, values: readonly Value[]) => Promise<R[]>;

/** A value with fewer rows than this is fast to find and count. */
const fewMax = 100;

/**
 * Runs a condition that an index serves at once. Any other has an unknown cost and runs in the directory's queue, where
 * it does not delay other requests.
 */
async function askingOf(store: Store, kind: Kind, directoryId: string, condition: Condition | null): Promise<Asking> {
  const isQuick = condition === null || (await isFew(store, kind, directoryId, condition));
  if (isQuick) return (sql, values) => store.query(sql, values);
  return (sql, values) => inTurn(directoryId, () => store.queryAside(sql, values));
}

async function isFew(store: Store, kind: Kind, directoryId: string, condition: Condition): Promise<boolean> {
  if (condition.kind === "all" && condition.of.length <= 3) {
    for (const each of condition.of) if (!(await isFew(store, kind, directoryId, each))) return false;
    return true;
  }
  if (condition.kind === "column") {
    const { column, test } = condition;
    const name = columns[kind][column];
    if (test.op !== "eq" || !name || column === "created" || column === "lastModified") return false;
    const isThere = kind === "people" ? " and deleted_at is null" : "";
    const from = kind === "people" ? "directory_people" : "directory_groups";
    const rows = await store.query(
      `select 1 from ${from} where directory_id = $1 and ${name} = $2${isThere} limit ${fewMax}`,
      [directoryId, test.text],
    );
    return rows.length < fewMax;
  }
  if (condition.kind !== "value" || condition.test.op !== "eq") return false;
  const rows = await store.query(
    `select 1 from directory_values where directory_id = $1 and attribute = $2 and term = $3 limit ${fewMax}`,
    [directoryId, condition.attribute, termOf(condition.test.text)],
  );
  return rows.length < fewMax;
}

async function count(asking: Asking, kind: Kind, directoryId: string, condition: Condition | null) {
  const { where, values } = compile(kind, directoryId, condition);
  const from = kind === "people" ? "directory_people" : "directory_groups";
  const [row] = await asking<{ total: number }>(`select count(*) as total from ${from} r where ${where}`, values);
  return { where, values, total: row?.total ?? 0 };
}

/** SQL texts with up to this many tests recur, so the store prepares them once. */
const preparedTestsMax = 2;

/** The whole `where`, with a placeholder for every value from a caller. */
export function compile(
  kind: Kind,
  directoryId: string,
  condition: Condition | null,
): { where: string; values: Value[] } {
  const writer = new ConditionWriter(kind, directoryId);
  const own = kind === "people" ? "r.directory_id = $1 and r.deleted_at is null" : "r.directory_id = $1";
  if (!condition) return { where: own, values: writer.values };
  const remark = countTests(condition) > preparedTestsMax ? ` ${varies}` : "";
  return { where: `${own} and ${writer.write(condition, "r")}${remark}`, values: writer.values };
}

const columns: Record<Kind, Partial<Record<Column, string>>> = {
  people: {
    id: "user_id",
    userName: "user_name_key",
    externalId: "external_id",
    created: "created_at",
    lastModified: "updated_at",
  },
  groups: {
    id: "id",
    displayName: "display_name_key",
    externalId: "external_id",
    created: "created_at",
    lastModified: "updated_at",
  },
};

const signs = { gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

class ConditionWriter {
  readonly values: Value[];
  readonly #kind: Kind;

  constructor(kind: Kind, directoryId: string) {
    this.#kind = kind;
    this.values = [directoryId];
  }

  #mark(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** `row` is the alias of the table that the condition tests: the record, or an element of it. */
  write(condition: Condition, row: string): string {
    switch (condition.kind) {
      case "all":
        return `(${condition.of.map((each) => this.write(each, row)).join(" and ")})`;
      case "any":
        return `(${condition.of.map((each) => this.write(each, row)).join(" or ")})`;
      case "not":
        return `not ${this.write(condition.of, row)}`;
      case "constant":
        return condition.holds ? "(1 = 1)" : "(1 = 0)";
      case "column":
        return this.#column(condition.column, condition.test, row);
      case "value":
        return this.#value(condition.attribute, condition.test, row);
      case "has value":
        return this.#hasValue(condition.attributes, row);
      case "element":
        return this.#element(condition.attributes, condition.of, row);
      case "linked":
        return this.#linked(condition.of, row);
    }
  }

  get #id(): string {
    return this.#kind === "people" ? "user_id" : "id";
  }

  #column(column: Column, test: Test, row: string): string {
    if (column === "active") {
      if (test.op === "pr") return "(1 = 1)";
      const active = this.#mark(test.text === "true" ? 1 : 0);
      return `exists (select 1 from users u where u.id = ${row}.user_id and u.active = ${active})`;
    }
    if (column === "linkedId") return this.#text(`${row}.id`, test);
    if (column === "linkedDisplay") return this.#text(`${row}.display`, test);
    return this.#text(`${row}.${columns[this.#kind][column]}`, test);
  }

  // An uncorrelated subquery of ids, so that the database looks up the value first and the people after it. Inside an
  // element, other tests apply to the same element.
  #value(attribute: string, test: Test, row: string): string {
    const name = this.#mark(attribute);
    if (row === "e") {
      return `exists (select 1 from directory_values v where v.owner_id = e.owner_id and v.attribute = ${name}
                and v.element = e.element and ${this.#term("v", test)})`;
    }
    return `${row}.user_id in (select v.owner_id from directory_values v
              where v.directory_id = $1 and v.attribute = ${name} and ${this.#term("v", test)})`;
  }

  #hasValue(attributes: string[], row: string): string {
    const names = attributes.map((attribute) => this.#mark(attribute)).join(", ");
    if (row === "e") {
      return `exists (select 1 from directory_values v where v.owner_id = e.owner_id and v.attribute in (${names})
                and v.element = e.element)`;
    }
    return `${row}.user_id in (select v.owner_id from directory_values v where v.directory_id = $1 and v.attribute in (${names}))`;
  }

  #element(attributes: string[], inner: Condition, row: string): string {
    const lead = leading(inner);
    if (lead) {
      const found = `e.attribute = ${this.#mark(lead.attribute)} and ${this.#term("e", lead.test)}`;
      return `${row}.user_id in (select e.owner_id from directory_values e
                where e.directory_id = $1 and ${found} and ${this.write(inner, "e")})`;
    }
    const names = attributes.map((attribute) => this.#mark(attribute)).join(", ");
    return `${row}.user_id in (select e.owner_id from directory_values e
              where e.directory_id = $1 and e.attribute in (${names}) and ${this.write(inner, "e")})`;
  }

  #linked(inner: Condition, row: string): string {
    const [other, otherId, display, mine] =
      this.#kind === "people"
        ? ["directory_groups", "id", "display_name_key", "user_id"]
        : ["directory_people", "user_id", "lower(x.display)", "group_id"];
    const theirs = this.#kind === "people" ? "group_id" : "user_id";
    const shown = display === "display_name_key" ? `x.${display}` : display;
    return `${row}.${this.#id} in (select m.${mine} from directory_group_members m
              join (select x.${otherId} as id, ${shown} as display from ${other} x where x.directory_id = $1) l
                on l.id = m.${theirs} where ${this.write(inner, "l")})`;
  }

  /** A stored value. Its start is indexed; a longer value is also compared in full. */
  #term(row: string, test: Test): string {
    const whole = `coalesce(${row}.whole, ${row}.term)`;
    if (test.op !== "eq" && test.op !== "sw") return this.#text(whole, test);
    const begin = termOf(test.text);
    if (begin !== test.text) {
      return `(${this.#text(`${row}.term`, { ...test, text: begin })} and ${this.#text(whole, test)})`;
    }
    return this.#text(`${row}.term`, test);
  }

  #text(expression: string, { op, text }: Test): string {
    if (op === "pr" || (text === "" && (op === "co" || op === "sw" || op === "ew")))
      return `(${expression} is not null)`;
    const present = `${expression} is not null`;
    const characters = [...text].length;
    switch (op) {
      case "eq":
        return `(${present} and ${expression} = ${this.#mark(text)})`;
      case "co":
        return `(${present} and replace(${expression}, ${this.#mark(text)}, '') <> ${expression})`;
      case "sw": {
        // A range from the text to the text followed by the highest character, which an index can serve.
        const [low, high] = [this.#mark(text), this.#mark(`${text}\u{10ffff}`)];
        const same = `substr(${expression}, 1, ${this.#mark(characters)}) = ${low}`;
        return `(${present} and ${expression} >= ${low} and ${expression} <= ${high} and ${same})`;
      }
      case "ew": {
        const length = this.#mark(characters);
        const end = `substr(${expression}, length(${expression}) - ${length} + 1)`;
        return `(${present} and length(${expression}) >= ${length} and ${end} = ${this.#mark(text)})`;
      }
      default:
        return `(${present} and ${expression} ${signs[op]} ${this.#mark(text)})`;
    }
  }
}

/** The test that drives the lookup: one that must hold in any case, and preferably one that few elements pass. */
function leading(condition: Condition): { attribute: string; test: Test } | null {
  if (condition.kind === "value") return condition.test.op === "eq" || condition.test.op === "sw" ? condition : null;
  if (condition.kind !== "all") return null;
  const all = condition.of.map(leading).filter((each) => each !== null);
  return all.find(({ attribute }) => !/\.(type|primary)$/.test(attribute)) ?? all[0] ?? null;
}
