import { describe, expect, test } from "vitest";
import { freshValues, knownMembers, validCall } from "../../test/support/calls/valid-calls.ts";
import { everythingIn, startTeam } from "../../test/support/team.ts";
import { operations } from "../api/index.ts";
import { isReserved } from "../api/reference/operation-schemas.ts";
import { knownMigrations } from "../store/migrate.ts";

/** "Unknown members at top level: ignored but never bound" (ASVS 15.3.3). */

/** Every column of every table, from the migrations themselves. */
function everyColumn(): string[] {
  const tables = knownMigrations().flatMap(({ sql }) => [...sql.matchAll(/create table \w+ \(([\s\S]*?)\n\)[^;]*;/g)]);
  const columns = tables.flatMap(([, text = ""]) => [...text.matchAll(/^ {2}(\w+) (?:text|integer|bigint)/gm)]);
  return [...new Set(columns.map((match) => match[1] as string))];
}

/** The names that rules use internally, which a careless spread would bind. */
const insideNames = ["organizationId", "organizationRole", "userId", "createdBy", "projectIds", "maxRole", "actions"];

const marker = "mass-assigned";

describe("unknown members of a body", () => {
  test("the list of columns is the real one", () => {
    expect(everyColumn()).toEqual(
      expect.arrayContaining(["organization_role", "active", "hash", "created_by", "role"]),
    );
    expect(everyColumn().length).toBeGreaterThan(40);
  });

  test.each(operations.map((operation) => [operation.path, operation] as const))(
    "%s binds none of them",
    async (_, operation) => {
      const team = await startTeam("sqlite");
      const values = await freshValues(team, operation);
      const { path, body } = validCall(operation, values);
      const known = new Set(knownMembers(operation).map(([name]) => name));
      const strange = [...everyColumn(), ...insideNames].filter((name) => !known.has(name));
      const extra = Object.fromEntries(strange.map((name) => [name, marker]));
      // Only the subject of the call may change.
      const rolesBefore = await team.store.query(
        "select id, organization_role, active from users where id <> $1 order by id",
        [String(values.user_id ?? "")],
      );
      const answer = await team.call(path, { ...extra, ...body }, team.inProject(team.owner));
      expect(answer.status).toBe(isReserved(operation) ? 501 : 200);
      expect(answer.text).not.toContain(marker);
      expect(await everythingIn(team.store)).not.toContain(marker);
      const rolesAfter = await team.store.query("select id, organization_role, active from users order by id");
      expect(rolesAfter).toEqual(expect.arrayContaining(rolesBefore));
    },
  );

  test("a member in the path wins over one of the same name in the body", async () => {
    const team = await startTeam("sqlite");
    const named = await team.colleague("named", "viewer");
    const other = await team.colleague("other", "viewer");
    const path = `auth/users/${named.userId}/delete`;
    const answer = await team.call(path, { user_id: other.userId }, team.inProject(team.owner));
    expect(answer.body.user_id).toBe(named.userId);
    const { body } = await team.call("auth/users/list", {}, team.inProject(team.owner));
    const left = body.results.map((user: { user_id: string }) => user.user_id);
    expect(left).toContain(other.userId);
    expect(left).not.toContain(named.userId);
  });
});
