import fc from "fast-check";
import { expect, test } from "vitest";
import { enterpriseUrn, fillDirectory, type ScimTeam, startScim } from "../../test/support/scim/scim.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { compile } from "../access/directory/condition-sql.ts";
import { toCondition } from "./filters/filter-to-condition.ts";
import { matches } from "./filters/match-in-memory.ts";
import { readFilter } from "./filters/parse-filter.ts";
import { userType } from "./schema/schemas.ts";

const find = async ({ scim }: ScimTeam, filter: string, more = ""): Promise<string[]> => {
  const { status, body } = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}${more}`);
  expect([filter, status]).toEqual([filter, 200]);
  return body.Resources.map((user: { userName: string }) => user.userName);
};

const long = "long ".repeat(60);

/** People with different cases, scripts, missing values, long values, and characters special to SQL. */
const crowd: Record<string, unknown>[] = [
  {
    userName: "ada",
    externalId: "E1",
    title: "Countess",
    emails: [{ value: "ada@x.example", type: "work", primary: true }],
  },
  {
    userName: "Bob",
    externalId: "e1",
    title: "COUNTESS",
    emails: [
      { value: "bob@x.example", type: "home" },
      { value: "b@y.example", type: "work" },
    ],
  },
  { userName: "carl_100%", name: { givenName: "Carl", familyName: "O'Neil" }, active: false },
  { userName: "ÄRZTIN", displayName: "Straße 𝒵", nickName: "100%_\\" },
  { userName: "eve", title: `${long}end`, [enterpriseUrn]: { department: "Engines", manager: { value: "m1" } } },
  {
    userName: "fay",
    title: `${long}END `,
    addresses: [
      { locality: "Bern", type: "work" },
      { country: "CH", type: "home" },
    ],
  },
];

describeOnBothStores("filters in SQL", (kind) => {
  async function startCrowd(): Promise<{ team: ScimTeam; people: Record<string, unknown>[] }> {
    const team = await startScim(kind);
    for (const { userName, ...more } of crowd) await team.user(String(userName), more);
    return { team, people: (await team.scim("GET", "/Users")).body.Resources };
  }

  test("match the same people as in memory", async () => {
    const { team, people } = await startCrowd();
    const filters = [
      'userName eq "BOB"',
      'userName eq "ärztin"',
      'userName co "_100%"',
      'nickName eq "100%_\\\\"',
      'nickName co "%"',
      'userName sw "Ä"',
      'displayName ew "𝒵"',
      'title eq "countess"',
      `title eq "${long}END"`,
      `title sw "${long}e"`,
      `title co "${long}end"`,
      'title gt "count"',
      'title lt "d"',
      'title ge "countess" and title le "countess"',
      "title pr",
      "not (title pr)",
      'title ne "countess"',
      'externalId eq "E1"',
      'externalId sw "e"',
      "externalId pr",
      'externalId ne "E1"',
      "active eq false",
      "active ne true",
      'emails[type eq "work" and value ew "x.example"]',
      'emails[type eq "work"].value eq "B@Y.example"',
      'emails[not (type eq "work")]',
      'emails[type eq "home" or primary eq true]',
      'emails.value co "@" and not (emails.type eq "home")',
      'emails eq "ada@x.example"',
      'name.familyName eq "o\'neil"',
      "name pr",
      "addresses pr",
      'addresses[locality eq "bern" and type eq "home"]',
      'addresses[country pr and type eq "home"]',
      `${enterpriseUrn}:department eq "ENGINES"`,
      `${enterpriseUrn}:manager eq "m1"`,
      `${enterpriseUrn}:manager.value eq "M1"`,
      'title co ""',
      "groups pr",
      'meta.resourceType eq "User"',
      'meta.resourceType eq "Group"',
      'meta.created gt "2020-01-01T00:00:00Z" and meta.lastModified lt "2020-01-01T00:00:00Z"',
      '(userName eq "ada" or userName eq "bob") and not (title eq "x" or active eq false)',
      'title eq null and (externalId eq "x" or nickName pr)',
    ];
    for (const filter of filters) {
      const expected = people.filter((person) => matches(readFilter(userType, filter), person));
      const found = await find(team, filter);
      expect([filter, found]).toEqual([filter, expected.map(({ userName }) => userName)]);
    }
  });

  test("generated filters match the same people as in memory", async () => {
    const { team, people } = await startCrowd();
    const leaf = fc
      .tuple(
        fc.constantFrom(
          "userName",
          "externalId",
          "title",
          "nickName",
          "displayName",
          "name.givenName",
          "emails.value",
          "emails.type",
          "emails",
          `${enterpriseUrn}:department`,
          "id",
          "addresses.locality",
        ),
        fc.constantFrom("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"),
        fc.constantFrom("ada", "b", "E1", "countess", "%", "_", "x.example", "work", "Ä", "𝒵", "", "usr", "o'"),
      )
      .map(([name, op, value]) => `${name} ${op} ${JSON.stringify(value)}`);
    const { filter: any } = fc.letrec<{ filter: string }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.constantFrom(
          "title pr",
          "emails pr",
          "active eq true",
          'emails[type eq "work" and value co "x"]',
          'emails[type ne "work"]',
        ),
        fc.tuple(tie("filter"), fc.constantFrom("and", "or"), tie("filter")).map(([a, op, b]) => `(${a}) ${op} (${b})`),
        tie("filter").map((a) => `not (${a})`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(any, async (filter) => {
        const expected = people.filter((person) => matches(readFilter(userType, filter), person));
        expect(await find(team, filter)).toEqual(expected.map(({ userName }) => userName));
      }),
      { numRuns: 150 },
    );
  });

  test("the attributes that providers filter by use an index", async () => {
    const team = await startScim(kind);
    const { store, directoryId } = team;
    await fillDirectory(team, 4000);
    const plan = async (filter: string): Promise<string> => {
      const condition = toCondition(userType, readFilter(userType, filter));
      const { where, values } = compile("people", directoryId, condition);
      const sql = `select count(*) as total from directory_people r where ${where}`;
      const rows = await store.query<Record<string, string>>(
        `${kind === "sqlite" ? "explain query plan" : "explain"} ${sql}`,
        values,
      );
      return rows.map((row) => row.detail ?? row["QUERY PLAN"]).join("\n");
    };
    const expected: [filter: string, index: string][] = [
      ['userName eq "ada"', "directory_people_name"],
      ['userName sw "ada"', "directory_people_name"],
      ['externalId eq "E1"', "directory_people_external"],
      ['emails.value eq "ada@x.example"', "directory_values_term"],
      ['emails[type eq "work"].value eq "ada@x.example"', "directory_values_term"],
      ['emails[type eq "work" and value eq "ada@x.example"]', "directory_values_term"],
      ['displayName eq "Ada"', "directory_values_term"],
    ];
    for (const [filter, index] of expected) {
      const text = await plan(filter);
      expect([filter, text]).toEqual([filter, expect.stringContaining(index)]);
      if (kind === "sqlite") expect([filter, text]).toEqual([filter, expect.not.stringMatching(/^SCAN/m)]);
      else expect([filter, text]).toEqual([filter, expect.not.stringContaining("Seq Scan")]);
    }
  });

  test("a connection test with a random guid is 200 with an empty list", async () => {
    const team = await startScim(kind);
    for (const name of ["userName", "externalId", "emails.value", 'emails[type eq "work"].value']) {
      const answer = await team.scim(
        "GET",
        `/Users?filter=${encodeURIComponent(`${name} eq "${crypto.randomUUID()}"`)}`,
      );
      expect([answer.status, answer.body.totalResults, answer.body.Resources]).toEqual([200, 0, []]);
    }
  });

  test("an invalid filter is 400 invalidFilter, however deeply nested", async () => {
    const { scim } = await startScim(kind);
    const nested = `${"(".repeat(1000)}title pr${")".repeat(1000)}`;
    for (const filter of [nested, "nonsense pr", 'userName eq "', "' or 1=1 --", `userName eq "${"x".repeat(3000)}"`]) {
      const answer = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect([answer.status, answer.body.scimType]).toEqual([400, "invalidFilter"]);
      const searched = await scim("POST", "/Users/.search", { filter });
      expect([searched.status, searched.body.scimType]).toEqual([400, "invalidFilter"]);
    }
  });
});
