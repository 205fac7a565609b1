import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { newNotes } from "../../../test/support/databases/sqlite-notes.ts";
import { asUnavailable } from "./connection.ts";

// "Disk full, read-only: no corruption, clear 503/507."
test("a file that accepts no writes makes the store unavailable, and not the call wrong", async () => {
  const { file } = await newNotes();
  const readOnly = new DatabaseSync(file, { readOnly: true });
  try {
    readOnly.exec("insert into notes (id) values ('one')");
    expect.unreachable("The file was written.");
  } catch (error) {
    expect(asUnavailable(error)).toMatchObject({ reason: "read-only", cause: error });
  } finally {
    readOnly.close();
  }
});
