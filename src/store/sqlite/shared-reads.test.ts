import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { openConnection, statementRunner } from "./connection.ts";
import { createQueryCache } from "./query-cache.ts";
import { createSharedReads } from "./shared-reads.ts";

/** `beforeRead` runs before each read on the writing connection. */
function openReads(beforeRead: (writer: DatabaseSync) => void) {
  const file = join(temporaryFolder(), "reads.sqlite");
  const writer = openConnection(file, "pragma journal_mode = wal; create table notes (id text)");
  const reader = openConnection(file, "pragma query_only = on");
  cleanUpLater(async () => {
    reader.close();
    writer.close();
  });
  const run = statementRunner(writer);
  const reads = createSharedReads({
    writer,
    write(sql, values) {
      beforeRead(writer);
      return run(sql, values);
    },
    readOnly: statementRunner(reader),
    cache: createQueryCache(writer),
    isBatchOpen: () => false,
  });
  const count = (id: string) => reads.read("select count(*) as count from notes where id = $1", [id]);
  // A statement's first run uses the reading connection.
  count("first");
  return { file, writer, reads, count };
}

// SQLite does so after an input/output error.
test("a shared read that SQLite has rolled back ends without an exception, and another one follows", () => {
  let isFailing = true;
  const { writer, reads, count } = openReads((writer) => {
    if (!isFailing) return;
    writer.exec("rollback");
    throw new Error("disk I/O error");
  });
  reads.share();
  expect(() => count("a")).toThrow("disk I/O error");
  expect(() => reads.end()).not.toThrow();

  isFailing = false;
  reads.share();
  expect(count("b")).toEqual([{ count: 0 }]);
  expect(writer.isTransaction).toBe(true);
  reads.end();
  expect(writer.isTransaction).toBe(false);
});

test("a shared read that cannot begin does not commit the transaction that is open", () => {
  const { file, writer, reads, count } = openReads(() => {});
  writer.exec("begin immediate; insert into notes (id) values ('refused')");
  reads.share();
  expect(() => count("a")).toThrow("within a transaction");
  reads.end();
  const other = new DatabaseSync(file, { readOnly: true });
  expect(other.prepare("select id from notes").all()).toEqual([]);
  other.close();
});
