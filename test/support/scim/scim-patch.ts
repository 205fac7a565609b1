import { expect } from "vitest";
import type { StoreKind } from "../stores.ts";
import { startScim } from "./scim.ts";

/** What one PATCH makes of a user: the user before, the operations, and some of its attributes afterwards. */
export type PatchCase = [
  name: string,
  before: Record<string, unknown>,
  operations: unknown[],
  after: Record<string, unknown>,
];

/** Sends each row's operations to a new user and compares the response, and a later read, with the row. */
export async function expectApplied(kind: StoreKind, cases: readonly PatchCase[]): Promise<void> {
  const { user, patch, scim } = await startScim(kind);
  for (const [index, [name, before, operations, after]] of cases.entries()) {
    const made = await user(`user${index}`, before);
    const answer = await patch(`/Users/${made.id}`, ...operations);
    expect([name, answer.status, answer.body]).toEqual([name, 200, expect.anything()]);
    for (const [key, value] of Object.entries(after)) expect([name, key, answer.body[key]]).toEqual([name, key, value]);
    expect((await scim("GET", `/Users/${made.id}`)).body).toEqual(answer.body);
  }
}
