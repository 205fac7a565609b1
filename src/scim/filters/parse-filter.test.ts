import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ScimRefused } from "../response/scim-error.ts";
import { enterpriseUrn, userType } from "../schema/schemas.ts";
import { matches } from "./match-in-memory.ts";
import { readFilter } from "./parse-filter.ts";

const ada = {
  id: "usr_1",
  userName: "Ada",
  externalId: "E-1",
  active: true,
  displayName: "Ada Lovelace",
  name: { givenName: "Ada", familyName: "O'Malley" },
  emails: [
    { value: "ada@work.example", type: "work", primary: true },
    { value: "ada@home.example", type: "home" },
  ],
  meta: { created: "2026-01-02T03:04:05.000Z", lastModified: "2026-02-02T03:04:05.000Z", resourceType: "User" },
  [enterpriseUrn]: { department: "Engines", employeeNumber: "0042" },
};

const holds = (filter: string): boolean => matches(readFilter(userType, filter), ada);

describe("a filter", () => {
  test.each([
    // Table 3 of RFC 7644, and its figure of examples.
    ['userName eq "ada"', true],
    ['userName Eq "ADA"', true],
    ['USERNAME eq "ada"', true],
    ['externalId eq "e-1"', false],
    ['externalId eq "E-1"', true],
    ['userName ne "ada"', false],
    ['title ne "x"', true],
    ['name.familyName co "O\'Mal"', true],
    ['userName sw "A"', true],
    ['displayName ew "LACE"', true],
    ["title pr", false],
    ["name pr", true],
    ["emails pr", true],
    ['meta.lastModified gt "2026-02-01T00:00:00Z"', true],
    ['meta.lastModified ge "2026-02-02T04:04:05+01:00"', true],
    ['meta.lastModified lt "2026-02-02T03:04:05Z"', false],
    ['meta.lastModified le "2026-02-02T03:04:05Z"', true],
    ['title pr and userName eq "ada"', false],
    ['title pr or userName eq "ada"', true],
    ['not (userName eq "ada")', false],
    ["not(title pr)", true],
    // and binds more than or; brackets more than both.
    ['userName eq "ada" or title pr and title pr', true],
    ['(userName eq "ada" or title pr) and title pr', false],
    ['emails[type eq "work" and value co "@work"]', true],
    ['emails[type eq "work" and value co "@home"]', false],
    ['emails.type eq "work" and emails.value co "@home"', true],
    ['emails[not (type eq "work")]', true],
    ['emails[type eq "work"].value eq "ADA@work.example"', true],
    ['emails[type eq "home"].value eq "ada@work.example"', false],
    ['emails eq "ada@home.example"', true],
    ["emails[primary eq true]", true],
    ['emails[primary eq "True" and type eq "home"]', false],
    ["active eq true", true],
    ['active eq "False"', false],
    ["title eq null", true],
    ["title ne null", false],
    ["userName ne null", true],
    [`${enterpriseUrn}:department eq "engines"`, true],
    [`${enterpriseUrn}:employeeNumber eq "42"`, false],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', true],
    ['URN:IETF:params:scim:schemas:core:2.0:user:NAME.givenName eq "ada"', true],
    // "One doc example even shows an unquoted value".
    ["externalId eq E-1", true],
    ["externalId eq 3d2f1a", false],
    [`${enterpriseUrn}:employeeNumber eq 0042`, true],
    ['displayName eq "Ada\\u0020Lovelace"', true],
    ['  userName   eq\t"ada"  ', true],
  ])("%s is %s", (filter, expected) => expect(holds(filter)).toBe(expected));

  test.each([
    "",
    "userName",
    "userName eq",
    'userName is "x"',
    'eq "x"',
    'nonsense eq "x"',
    'name eq "x"',
    'name.nonsense eq "x"',
    'password eq "x"',
    "password pr",
    'userName eq "x" and',
    'userName eq "x" title pr',
    '(userName eq "x"',
    'userName eq "x")',
    'userName eq "x',
    'userName eq "\\x"',
    'userName eq "\\u0000"',
    "userName eq a\u0000b",
    "not userName pr",
    'emails[type eq "work"',
    "emails[]",
    'emails[nonsense eq "x"]',
    'emails[type eq "work"].nonsense eq "x"',
    'emails[emails[type eq "x"]]',
    'userName[type eq "x"]',
    "active gt true",
    'active eq "perhaps"',
    'x509Certificates.value co "a"',
    'meta.created gt "yesterday"',
    "title gt null",
    '__proto__ eq "x"',
    "constructor pr",
    'name.__proto__ eq "x"',
    'emails[constructor eq "x"]',
    'urn:nonsense:userName eq "x"',
    "' or 1=1 --",
  ])("%s is 400 invalidFilter", (filter) => {
    expect(() => readFilter(userType, filter)).toThrow(
      expect.objectContaining({ status: 400, scimType: "invalidFilter" }) as ScimRefused,
    );
  });

  test("nesting of 20 levels is read; deeper nesting, and more than 2 KiB, is refused", () => {
    const nested = (depth: number) => `${"(".repeat(depth)}title pr${")".repeat(depth)}`;
    const denied = (depth: number) => `${"not(".repeat(depth)}title pr${")".repeat(depth)}`;
    expect(holds(nested(20))).toBe(false);
    for (const filter of [nested(21), nested(1000), denied(21), denied(400), "(".repeat(2000), nested(100_000)]) {
      expect(() => readFilter(userType, filter)).toThrow(ScimRefused);
    }
    const long = `userName eq "${"x".repeat(2048 - 14)}"`;
    expect(holds(long)).toBe(false);
    expect(() => readFilter(userType, `${long} `)).toThrow(/2048/);
    expect(holds(Array.from({ length: 160 }, () => "title pr").join(" or "))).toBe(false);
  });

  test("a filter may have ten tests without an index; eleven are refused", () => {
    const looking = (count: number) => Array.from({ length: count }, () => 'emails co "nowhere"').join(" or ");
    expect(holds(looking(10))).toBe(false);
    expect(() => readFilter(userType, looking(11))).toThrow(ScimRefused);
    expect(() => readFilter(userType, `emails[${looking(11).replaceAll("emails", "value")}]`)).toThrow(ScimRefused);
  });

  test("any text is parsed or refused with invalidFilter", () => {
    const pieces = fc.constantFrom(
      "userName",
      "emails",
      "eq",
      "co",
      "pr",
      "and",
      "or",
      "not",
      "(",
      ")",
      "[",
      "]",
      ".value",
      '"a"',
      '"',
      "\\",
      "null",
      "1",
      "__proto__",
      " ",
      "type",
    );
    const any = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.array(pieces, { maxLength: 25 }).map((all) => all.join(" ")),
    );
    fc.assert(
      fc.property(any, (filter) => {
        try {
          holds(filter);
        } catch (error) {
          if (!(error instanceof ScimRefused) || error.scimType !== "invalidFilter") throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});
