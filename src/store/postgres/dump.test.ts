import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/stores.ts";
import { dumpDatabase, libpqAddress } from "./dump.ts";

// "The password goes through the environment: everybody on the machine can read the arguments of a process."
test.each([
  ["postgres://ada:s%40cret@db:5432/box", "postgres://ada@db:5432/box", "s@cret"],
  ["postgres://ada@db/box", "postgres://ada@db/box", null],
  ["postgres://ada:a:b@db/box?ssl=require&max=5", "postgres://ada@db/box?sslmode=require", "a:b"],
  [
    "postgresql://ada:x@one:5432,two:5433/box?target_session_attrs=primary&sslmode=verify-full",
    "postgresql://ada@one:5432,two:5433/box?target_session_attrs=primary&sslmode=verify-full",
    "x",
  ],
])("PostgreSQL's programs get %s without its password, and only words that they know", (url, address, password) => {
  expect(libpqAddress(url)).toEqual({ address, password });
});

test("without PostgreSQL's programs, a backup says what to install, and leaves no file", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("PATH", folder);
  const backup = dumpDatabase("postgres://ada@127.0.0.1:1/box", join(folder, "box.backup"), () => {});
  await expect(backup).rejects.toThrow(/^psql was not found\. Install PostgreSQL's client programs/);
  vi.unstubAllEnvs();
  expect(readdirSync(folder)).toEqual([]);
});
