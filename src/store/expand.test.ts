import { expect, test } from "vitest";
import { breaksOf, holdsOf } from "../../test/support/databases/expand-rule.ts";
import { knownMigrations } from "./migrate.ts";
import { oldestBeside } from "./previous-version.ts";
import { partsOf } from "./schema/statements.ts";

const newer = knownMigrations().filter(({ number }) => number > oldestBeside);

test("every migration since the previous version only adds what that version does not notice", () => {
  const broken = newer.flatMap(({ name, sql }) => breaksOf(sql, oldestBeside).map((why) => `${name} ${why}`));
  expect(broken, "see “How to add a migration” in CONTRIBUTING.md").toEqual([]);
});

test.each([
  ["drop table runs", "drops a table"],
  ["alter table runs drop column owner", "drops a column"],
  ["alter table runs rename column owner to holder", "renames something"],
  ["alter table runs rename to jobs", "renames something"],
  ["alter table runs alter column owner set not null", "changes a column"],
  ["alter table runs alter column position type bigint", "changes a column"],
  ["alter table runs add column owner text not null", "adds a column that older programs do not fill"],
  [
    "alter table runs add constraint short check (length(title) < 9)",
    "adds a rule that rows of older programs may break",
  ],
  ["create unique index runs_title on runs (title)", "adds a rule that rows of older programs may break"],
  ["-- only postgres\ndrop table runs;\n-- end\n", "drops a table"],
])("%s: it %s", (sql, why) => {
  expect(breaksOf(`create table other (id text);\n${sql}`, 33)).toEqual([why]);
  // With a later version it may: the previous one no longer uses what goes.
  expect(breaksOf(`-- contract of 0033\n${sql}`, 33)).toEqual([]);
  expect(breaksOf(`-- contract of 0034\n${sql}`, 33)).toEqual([
    "contracts 0034, which the previous version (33) does not know",
  ]);
});

test.each([
  "create table other (id text not null primary key); create unique index other_id on other (id)",
  "alter table runs add column owner text",
  "alter table runs add column owner text not null default ''",
  "alter table runs alter column owner drop not null",
  "create index runs_owner on runs (owner)",
  "drop index runs_owner; drop trigger audit_log_keep on audit_log",
  "-- One process alone uses a file.\n-- only sqlite\ndrop table runs;\n-- end\n",
])("%s: older programs go on", (sql) => {
  expect(breaksOf(sql, 33)).toEqual([]);
});

// "No lock for long": on PostgreSQL, a lock is held until the end of the migration.
test("no migration since the previous version keeps others from a table while it reads or writes rows", () => {
  expect(newer.flatMap(({ name, sql }) => holdsOf(sql).map((why) => `${name} ${why}`))).toEqual([]);
});

const lateIndex = "builds an index while others wait: write `create index name on table …;` on lines of its own";
const twoMigrations =
  "locks a table that is in use, and reads or writes rows before it lets it go: make two migrations";

test.each([
  ["alter table runs add column owner text;\nupdate runs set owner = '';", twoMigrations],
  ["create table other (id text references runs (id));\ninsert into other select id from runs;", twoMigrations],
  ["drop trigger a on runs;\n-- Rows.\ndelete from other;", twoMigrations],
  ["alter table runs add column at text default now()", "adds a column for which it reads every row"],
  ["alter table runs add column other text references others (id)", "adds a column for which it reads every row"],
  ["drop index runs_due;\nupdate runs set owner = '';", twoMigrations],
  ["alter table runs add column owner text;\ndo $$ begin\n  perform 1 from runs;\nend $$;", twoMigrations],
  ["alter table runs add column owner text;\ncreate table other as select id from runs;", twoMigrations],
  [
    "-- contract of 0033\nalter table runs alter column owner set not null",
    "changes a column for which it reads every row",
  ],
  [
    "-- contract of 0033\nalter table runs alter column owner type bigint",
    "changes a column for which it reads every row",
  ],
  ["-- contract of 0033\nalter table runs add check (owner <> '')", "adds a rule for which it reads every row"],
  ["create index on runs (owner)", lateIndex],
  ['create index "runs_owner" on runs (owner)', lateIndex],
  ["create index concurrently runs_owner on runs (owner)", lateIndex],
  [
    "create table other (id text);\ncreate index other_id on other (id); create index runs_owner on runs (owner);",
    lateIndex,
  ],
  ["alter table runs add column owner text; -- Whose it is.\ncreate index runs_owner on runs (owner);", lateIndex],
])("%s: it %s", (sql, why) => {
  expect(holdsOf(sql)).toEqual([why]);
});

// What is taken out of the transaction is checked by its shape alone.
test("an index that is built beside others has a table and one statement", () => {
  const late = knownMigrations().flatMap(({ sql }) => partsOf(sql).lateIndexes);
  const tables = new Set(
    knownMigrations().flatMap(({ sql }) => Array.from(sql.matchAll(/^create table (\w+)/gm), ([, name]) => name)),
  );
  expect(late.length).toBeGreaterThan(0);
  expect(late.filter(({ table }) => !tables.has(table))).toEqual([]);
  expect(late.filter(({ on }) => /;\s*(--|create)/.test(on))).toEqual([]);
});

test.each([
  "alter table runs add column owner text not null default '';\ncreate index runs_owner on runs (owner);",
  "create table other (id text);\nalter table other set (fillfactor = 50);\ninsert into other select id from runs;",
  "update runs set title = ''",
])("%s: others use the table meanwhile", (sql) => {
  expect(holdsOf(sql)).toEqual([]);
});
