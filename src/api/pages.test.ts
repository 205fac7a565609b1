import { expect, test } from "vitest";
import type * as z from "zod";
import { startTeam } from "../../test/support/team.ts";
import { operations } from "./index.ts";

// "Lists take `limit` (1 to 100, default 50) and `after`, and answer `{"results":[…],"next":"…"|null}`, in a stable order."
test("every list takes a limit and a cursor", () => {
  const lists = operations.filter(({ path }) => /\/(?:list|search|versions|deliveries)$/.test(path));
  expect(lists.length).toBeGreaterThan(20);
  for (const { path, input } of lists) {
    const { shape } = input as z.ZodObject;
    expect([path, Object.keys(shape)]).toEqual([path, expect.arrayContaining(["limit", "after"])]);
  }
});

test("a list that never changes has pages like any other", async () => {
  const team = await startTeam("sqlite");
  const page = async (operation: string, body: object) =>
    (await team.call(operation, body, team.inProject(team.owner))).body;
  for (const operation of ["steps/list", "systems/list"]) {
    const { results: all } = await page(operation, {});
    const found = [];
    let after: string | null = null;
    do {
      const { results, next } = await page(operation, { limit: 2, after });
      found.push(...results);
      after = next;
    } while (after !== null && found.length <= all.length);
    expect(found).toEqual(all);
    expect(await page(operation, { after: "nowhere" })).toEqual({ results: [], next: null });
  }
});
