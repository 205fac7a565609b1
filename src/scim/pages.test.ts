import fc from "fast-check";
import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

/** What a provider does between two looks at the list. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("leave" as const), who: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("return" as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("look" as const), from: fc.nat(12), count: fc.nat(5) }) },
);

describeOnBothStores("pages of people", (kind) => {
  test("startIndex counts from the beginning of the list as it is, whoever came and went between two pages", async () => {
    const { scim, user } = await startScim(kind);
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const gone: string[] = [];
        for (const each of steps) {
          const all = (await scim("GET", "/Users?count=200")).body.Resources as { id: string; externalId: string }[];
          if (each.kind === "join") await user(`p${made}`, { externalId: `e${made++}` });
          if (each.kind === "leave" && all.length > 0) {
            const leaver = all[each.who % all.length];
            await scim("DELETE", `/Users/${leaver?.id}`);
            gone.push(leaver?.externalId.slice(1) ?? "");
          }
          const returner = each.kind === "return" ? gone.pop() : undefined;
          if (returner !== undefined) await user(`p${returner}`, { externalId: `e${returner}` });
          if (each.kind !== "look") continue;
          const { body } = await scim("GET", `/Users?startIndex=${each.from + 1}&count=${each.count}`);
          expect(body.totalResults).toBe(all.length);
          expect(body.Resources).toEqual(all.slice(each.from, each.from + each.count));
        }
      }),
      { numRuns: 6 },
    );
  });
});
