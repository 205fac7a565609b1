import { expect, test } from "vitest";
import { libpqAddress } from "./dump.ts";

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
