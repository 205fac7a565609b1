import fc from "fast-check";
import { expect, test } from "vitest";
import { baseUrls, type TestAnswer } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { freshValues, knownMembers, pathWith, type Values, validCall } from "../../test/support/calls/valid-calls.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import { operations } from "../api/index.ts";
import { isReserved, type JsonSchema } from "../api/reference/operation-schemas.ts";
import type { Operation } from "../calls/define-operation.ts";
import { newId } from "../kernel/ids.ts";
import { openApiDocument } from "./openapi.ts";

/**
 * Whatever is sent, an operation answers what the document declares: no 5xx but the reserved 501, no status and no code
 * that is not listed, and a 200 that has the declared members and no others.
 */

const hostileTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u2066abc\u2069",
  "é".repeat(100),
  "𝒳👩‍👩‍👧‍👦".repeat(40),
  "' or 1=1; drop table users; --",
  "{{7*7}}<script>alert(1)</script>",
  "../../etc/passwd",
  "%00%2f..",
  "=cmd()",
  "x".repeat(5_000),
  "0",
  "-1",
  "true",
  "9999-12-31T23:59:59-23:59",
  "0000-01-01T00:00:00Z",
  newId("project", "eu"),
  newId("user", "us"),
];

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...hostileTexts),
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { a: { b: [] } }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value that the schema allows, at its edges as well as inside. */
function allowed(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(allowed));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.format === "date-time") return fc.constantFrom("2999-01-01T00:00:00Z", "2999-01-01T00:00:00.5+14:00");
  if (schema.type === "integer") return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "array") return fc.array(allowed(schema.items ?? {}), { minLength: 1, maxLength: 3 });
  return fc.constantFrom("a", "1", "x".repeat(128));
}

/** The values that a schema lists. Each has its own meaning, so each is sent, not only random ones. */
function namedBy(schema: JsonSchema): unknown[] {
  if (schema.anyOf) return schema.anyOf.flatMap(namedBy);
  if (schema.type === "boolean") return [true, false];
  return schema.enum ? [...schema.enum] : [];
}

type Change = { kind: "drop" } | { kind: "put"; value: unknown };

/** Up to three members of the call are left out or given another value; sometimes unknown members are added. */
function changesTo(operation: Operation): fc.Arbitrary<{ members: [string, Change][]; extra: [string, unknown][] }> {
  const members = knownMembers(operation).map(([name, schema]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof(
        fc.constant<Change>({ kind: "drop" }),
        fc.oneof(allowed(schema), hostile).map((value): Change => ({ kind: "put", value })),
      ),
    ),
  );
  const strange = fc.constantFrom("__proto__", "constructor", "prototype", "toString", "", "👩‍👧", "organization_role");
  return fc.record({
    members: members.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...members), { maxLength: 3 }),
    extra: fc.uniqueArray(fc.tuple(strange, hostile), { maxLength: 2, selector: ([name]) => name }),
  });
}

/** As text, because an object could not carry a member called __proto__. */
const textOf = (members: [string, unknown][]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;

interface Declared {
  paths: Record<string, { post: { responses: Record<string, unknown> } }>;
}
const declared = openApiDocument(baseUrls.us) as unknown as Declared;

function expectDeclared(operation: Operation, answer: TestAnswer): void {
  const { status, body } = answer;
  // A value in the path may match no route.
  if (operation.path.includes("{") && body.code === "route_not_found") {
    expectProblem(answer, "route_not_found");
    return;
  }
  const response = declared.paths[operation.path]?.post.responses[status];
  expect([operation.path, status, response === undefined]).toEqual([operation.path, status, false]);
  if (status === 200) {
    const read = operation.output.safeParse(body);
    // Parsing drops what is not declared, so equality also shows that the response contains nothing more.
    expect(read.data ?? read.error).toEqual(body);
    return;
  }
  expect(status < 500 || status === 501).toBe(true);
  expect(JSON.stringify(response)).toContain(`"${body.code}"`);
  expectProblem(answer, body.code);
}

describeOnBothStores("with arbitrary input", (kind) => {
  test("every operation responds as declared", { timeout: 400_000 }, async () => {
    const team = await startTeam(kind);
    for (const operation of operations) {
      const values = await freshValues(team, operation);
      const planned = validCall(operation, values);
      const good = await team.call(planned.path, planned.body, team.inProject(team.owner));
      expect([operation.path, good.status]).toEqual([operation.path, isReserved(operation) ? 501 : 200]);
      expectDeclared(operation, good);
      for (const [name, schema] of knownMembers(operation)) {
        for (const value of namedBy(schema)) {
          const body = { ...planned.body, [name]: value };
          expectDeclared(operation, await team.call(planned.path, body, team.inProject(team.owner)));
        }
      }
      await fc.assert(
        fc.asyncProperty(changesTo(operation), async ({ members, extra }) => {
          const inBody = new Map<string, unknown>(Object.entries(planned.body));
          const inPath: Values = { ...values };
          for (const [name, change] of members) {
            if (change.kind === "drop") inBody.delete(name);
            else if (operation.path.includes(`{${name}}`)) inPath[name] = change.value;
            else inBody.set(name, change.value);
          }
          for (const [name, value] of extra) inBody.set(name, value);
          const path = pathWith(operation, inPath);
          expectDeclared(operation, await team.call(path, textOf([...inBody]), team.inProject(team.owner)));
        }),
        { numRuns: (knownMembers(operation).length === 0 ? 8 : 20) / (kind === "sqlite" ? 1 : 2) },
      );
    }
    expect(({} as Record<string, unknown>).organization_role).toBeUndefined();
    const logged = team.logged.filter((line) => line.includes('"internal error"'));
    expect(logged).toEqual([]);
  });

  test("every value in the header Idempotency-Key is read, refused, or repeats the response", async () => {
    const team = await startTeam(kind);
    const keysCreate = operations.find(({ path }) => path.endsWith("/auth/keys/create")) as Operation;
    const header = fc.oneof(
      fc.string({ unit: "binary-ascii", maxLength: 10 }),
      fc.string({ minLength: 250, maxLength: 260 }),
    );
    await fc.assert(
      fc.asyncProperty(header.map(asHeader), async (value) => {
        const options = { as: team.owner, headers: { "idempotency-key": value } };
        const first = await team.call("auth/keys/create", { label: "one" }, options);
        expectDeclared(keysCreate, first);
        if (first.status !== 200) {
          expectProblem(first, "idempotency_key_invalid");
          return;
        }
        const second = await team.call("auth/keys/create", { label: "one" }, options);
        expect([second.text, second.headers["idempotency-replayed"]]).toEqual([first.text, "true"]);
        expectProblem(await team.call("auth/keys/create", { label: "two" }, options), "idempotency_mismatch");
      }),
      { numRuns: 60 },
    );
  });
});

// What a client can send at all: visible characters, blanks inside.
const asHeader = (text: string): string => text.replace(/[^\x20-\x7e]/g, "~").trim();
