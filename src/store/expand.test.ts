import { expect, test } from "vitest";
import { breaksOf } from "../../test/support/databases/expand-rule.ts";
import { knownMigrations } from "./migrate.ts";
import { oldestBeside } from "./previous-version.ts";

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
