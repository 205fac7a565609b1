import { expect, test } from "vitest";
import type { TestPerson } from "../support/app.ts";
import { describeOnBothStores, type StoreKind } from "../support/stores.ts";
import { asRole, startTeam, type Team } from "../support/team.ts";
import { after, auditOf, outcomeOf } from "./race.ts";

type Attack = (by: TestPerson, other: TestPerson) => ReturnType<Team["call"]>;

/** A project with two admins, neither of whom owns the organization. */
async function startWithTwoAdmins(kind: StoreKind) {
  const team = await startTeam(kind);
  const [first, second] = [
    await team.person("a@example.com", team.owner),
    await team.person("b@example.com", team.owner),
  ];
  const projectId = await team.project(first, "Two admins");
  const as = (person: TestPerson) => ({ as: person, project: projectId });
  const setRole = (by: TestPerson, of: TestPerson, role: "viewer" | "admin") =>
    team.call(`auth/users/${of.userId}/update`, { permissions: asRole(role) }, as(by));
  const remove = (by: TestPerson, of: TestPerson) => team.call(`auth/users/${of.userId}/delete`, {}, as(by));
  const invite = (by: TestPerson, email: string) =>
    team.call("auth/invite/create", { email, permissions: asRole("admin") }, as(by));
  expect(outcomeOf(await invite(first, second.email))).toBe("200");
  return { ...team, first, second, twoAdmins: projectId, as, setRole, remove, invite };
}

describeOnBothStores("two admins at the same moment", (kind) => {
  // T4: "two admins remove each other, 1000 rounds: always at least one active admin." Each way to lose one, in turn.
  const rounds = kind === "sqlite" ? 1000 : 150;

  test("whatever they do to each other or to themselves, one active admin is left", async () => {
    const { store, first, second, twoAdmins, setRole, remove, invite } = await startWithTwoAdmins(kind);
    const attacks: Attack[] = [
      (by, other) => remove(by, other),
      (by) => remove(by, by),
      (by, other) => setRole(by, other, "viewer"),
      (by) => setRole(by, by, "viewer"),
    ];
    const refusals = ["404 project_not_found", "404 user_not_found", "403 admin_required", "409 last_admin"];
    for (let round = 0; round < rounds; round++) {
      const attack = attacks[round % 4] as Attack;
      const counter = attacks[(round >> 2) % 4] as Attack;
      const outcomes = await Promise.all([
        after(round % 2, () => attack(first, second)),
        after((round >> 1) % 2, () => counter(second, first)),
      ]);
      const admins = await activeAdmins(store, twoAdmins);
      // If both succeeded, both hit the same one of the two.
      expect([round, outcomes.map(outcomeOf), admins.length]).toEqual([round, outcomes.map(outcomeOf), 1]);
      for (const outcome of outcomes.map(outcomeOf)) if (outcome !== "200") expect(refusals).toContain(outcome);
      const [left, gone] = admins[0] === first.userId ? [first, second] : [second, first];
      const again = await invite(left, gone.email);
      if (again.status !== 200) expect(outcomeOf(await setRole(left, gone, "admin"))).toBe("200");
    }
  });

  test("no invite of an admin who is being removed survives the removal", async () => {
    const { store, first, second, remove, invite } = await startWithTwoAdmins(kind);
    for (let round = 0; round < (kind === "sqlite" ? 100 : 20); round++) {
      const [removed, ...invites] = await Promise.all([
        after(round % 3, () => remove(first, second)),
        after(round % 2, () => invite(second, `early${round}@example.org`)),
        after((round % 5) + 1, () => invite(second, `late${round}@example.org`)),
      ]);
      expect(outcomeOf(removed)).toBe("200");
      for (const outcome of invites.map(outcomeOf)) expect(["200", "404 project_not_found"]).toContain(outcome);
      const survivors = await store.query("select email from invites where invited_by = $1", [second.userId]);
      expect(survivors).toEqual([]);
      expect(outcomeOf(await invite(first, second.email))).toBe("200");
    }
  });

  test("nothing an admin does takes effect after their demotion", async () => {
    const team = await startWithTwoAdmins(kind);
    const { first, second, setRole, invite } = team;
    for (let round = 0; round < (kind === "sqlite" ? 50 : 10); round++) {
      const [demoted, ...invites] = await Promise.all([
        after(round % 3, () => setRole(first, second, "viewer")),
        after(round % 2, () => invite(second, `early${round}@example.org`)),
        after(round % 5, () => invite(second, `late${round}@example.org`)),
      ]);
      expect(outcomeOf(demoted)).toBe("200");
      for (const outcome of invites.map(outcomeOf)) expect(["200", "403 admin_required"]).toContain(outcome);
      expect(outcomeOf(await setRole(first, second, "admin"))).toBe("200");
    }
    // Between a demotion and the promotion that follows it, the log knows of no change made by the demoted one.
    let isDemoted = false;
    for (const row of await auditOf(team)) {
      if (row.action === "user.role_changed" && row.target === second.userId) isDemoted = !isDemoted;
      else if (row.user_id === second.userId) expect({ ...row, isDemoted }).toMatchObject({ isDemoted: false });
    }
  });
});

const activeAdmins = async (store: Team["store"], projectId: string): Promise<string[]> => {
  const rows = await store.query<{ id: string }>(
    `select u.id from memberships m join users u on u.id = m.user_id
      where m.project_id = $1 and m.role = 'admin' and u.active = 1`,
    [projectId],
  );
  return rows.map((row) => row.id);
};
