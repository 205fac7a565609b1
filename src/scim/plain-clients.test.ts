import { expect, test } from "vitest";
import { startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

describeOnBothStores("clients with limited SCIM support", (kind) => {
  test("counts are numbers, and the status of an error is a text", async () => {
    const team = await startScim(kind);
    await team.user("ada");
    const { body } = await team.scim("GET", "/Users?startIndex=1&count=1");
    const { totalResults, startIndex, itemsPerPage } = body;
    expect({ totalResults, startIndex, itemsPerPage }).toEqual({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
    const refused = await team.scim("GET", "/Users/nobody");
    expect([refused.status, refused.body.status]).toEqual([404, "404"]);
  });

  test("a filter of `eq` and `and` finds one person", async () => {
    const team = await startScim(kind);
    const ada = await team.user("ada", { externalId: "E1" });
    await team.user("bob", { externalId: "E2" });
    const find = async (filter: string) => {
      const { status, body } = await team.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      return [status, body.Resources.map(({ id }: { id: string }) => id)];
    };
    expect(await find('userName eq "ada" and externalId eq "E1"')).toEqual([200, [ada.id]]);
    expect(await find('userName eq "ada" and externalId eq "E2"')).toEqual([200, []]);
  });
});
