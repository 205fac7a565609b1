import { expect, test } from "vitest";
import { StoreUnavailable } from "../db.ts";
import { asUnavailable } from "./errors.ts";

/** "A read-only replica answers 500 (25006, 25P02 and their like are "unavailable")." */
test.each([
  ["25006", "a standby that was asked to write"],
  ["25P02", "a transaction that an earlier statement has ended"],
  ["25P03", "a transaction that was idle for too long"],
  ["25P04", "a transaction that was open for too long"],
  ["28P01", "a login with a password that was changed meanwhile"],
  ["40001", "a read that a standby has to cancel"],
  ["40P01", "a deadlock that none of the tries got through"],
  ["55P03", "a statement that waited for a lock for too long"],
  ["57P01", "a server that shuts down"],
])("%s, %s, is unavailable, and not an error of ours", (code) => {
  const error = asUnavailable(Object.assign(new Error("refused"), { code }));
  expect(error).toBeInstanceOf(StoreUnavailable);
});

test("a broken rule of the data stays what it is", () => {
  const error = Object.assign(new Error("duplicate key"), { code: "23505" });
  expect(asUnavailable(error)).toBe(error);
});
