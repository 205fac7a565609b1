import fc from "fast-check";
import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

/** A change between two pages. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("leave" as const), who: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("return" as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("look" as const), from: fc.nat(12), count: fc.nat(5) }) },
);

describeOnBothStores("pages of people", (kind) => {
  test("startIndex counts from the start of the current list, also after changes between two pages", async () => {
    const { scim, user } = await startScim(kind);
    // The list is in the order of ids, which is the order of creation.
    const here = new Map<string, string>();
    const gone: string[] = [];
    let made = 0;
    const join = async (name: string) => here.set((await user(name, { externalId: name })).id, name);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        for (const each of steps) {
          const ids = [...here.keys()].sort();
          if (each.kind === "join") await join(`p${made++}`);
          if (each.kind === "return" && gone.length > 0) await join(gone.pop() ?? "");
          const leaver = each.kind === "leave" ? ids[each.who % ids.length] : undefined;
          if (leaver !== undefined) {
            await scim("DELETE", `/Users/${leaver}`);
            gone.push(here.get(leaver) ?? "");
            here.delete(leaver);
          }
          if (each.kind !== "look") continue;
          const { body } = await scim("GET", `/Users?startIndex=${each.from + 1}&count=${each.count}`);
          expect(body.totalResults).toBe(ids.length);
          const shown = body.Resources.map(({ id }: { id: string }) => id);
          expect(shown).toEqual(ids.slice(each.from, each.from + each.count));
        }
      }),
      { numRuns: 10 },
    );
  });
});
