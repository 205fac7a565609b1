import { expect, test } from "vitest";
import { describeOnBothStores } from "../support/stores.ts";
import { asRole, startTeam } from "../support/team.ts";
import { after, expectInOnce, manyAtOnce, outcomeOf, standingIn } from "./race.ts";

describeOnBothStores("invites at the same moment", (kind) => {
  const rounds = kind === "sqlite" ? 20 : 5;

  // T1: "50 parallel creates, same e-mail: exactly one 200, 49 times 409, all naming the same code, one mail sent."
  test("fifty for one address make one invite and one mail, and all name its code", async () => {
    const team = await startTeam(kind);
    const answers = await manyAtOnce(50, (i) => {
      const email = i % 2 === 0 ? "new@example.com" : " NEW@Example.com ";
      return team.call("auth/invite/create", { email, permissions: asRole("viewer") }, team.inProject(team.owner));
    });
    const made = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => outcomeOf(answer) === "409 invite_already_pending");
    expect([made.length, refused.length]).toEqual([1, 49]);
    expect(new Set(answers.map((answer) => answer.body.invite_code)).size).toBe(1);
    expect(await team.store.query("select count(*) as count from mails")).toEqual([{ count: 1 }]);
    const { pending } = await standingIn(team, team.projectId, "new@example.com");
    expect(pending).toEqual([made[0]?.body.invite_code]);
  });

  // T2: "create in parallel with accept: never two memberships, never a pending invite for a member."
  test("an invite made while the person accepts another one ends in one membership", async () => {
    const team = await startTeam(kind);
    const second = await team.project(team.owner, "Second");
    for (let round = 0; round < rounds; round++) {
      const email = `guest${round}@example.org`;
      const guest = await team.person(email);
      const invite = (project: string, role: "viewer" | "editor") =>
        team.call("auth/invite/create", { email, permissions: asRole(role) }, { as: team.owner, project });
      const { invite_code } = (await invite(team.projectId, "viewer")).body;
      const [accepted, again, ...elsewhere] = await Promise.all([
        after(round % 3, () => team.call("auth/invite/accept", { invite_code }, { as: guest })),
        after(round % 2, () => invite(team.projectId, "editor")),
        after(round % 4, () => invite(second, "viewer")),
        after(round % 5, () => invite(second, "viewer")),
      ]);
      expect(outcomeOf(accepted)).toBe("200");
      expect(["409 invite_already_pending", "409 already_member"]).toContain(outcomeOf(again));
      expect(elsewhere.map(outcomeOf).filter((outcome) => outcome === "200")).toHaveLength(1);
      for (const project of [team.projectId, second]) {
        const standing = await standingIn(team, project, email);
        expectInOnce(standing);
        expect(standing.memberships[0]).toEqual({ user_id: accepted.body.user_id, actions: ["role:viewer"] });
      }
    }
  });

  // T3: "create in parallel with the user joining the organization."
  test("invites made while the person joins the organization are all accepted", async () => {
    const team = await startTeam(kind);
    const projects = [
      team.projectId,
      await team.project(team.owner, "Second"),
      await team.project(team.owner, "Third"),
    ];
    for (let round = 0; round < rounds; round++) {
      const email = `newcomer${round}@example.com`;
      const [newcomer, ...invites] = await Promise.all([
        after(round % 4, () => team.person(email, team.owner)),
        ...projects.map((project, i) =>
          after((round + i) % 3, () =>
            team.call("auth/invite/create", { email, permissions: asRole("editor") }, { as: team.owner, project }),
          ),
        ),
      ]);
      expect(invites.map(outcomeOf)).toEqual(["200", "200", "200"]);
      for (const project of projects) {
        const standing = await standingIn(team, project, email);
        expectInOnce(standing);
        expect(standing.memberships[0]?.user_id).toBe(newcomer.userId);
      }
    }
  });

  // T5: "delete + recreate in parallel with accept: the accepted role is one of the two offered, never a mix."
  test("an invite replaced while the person accepts it or joins gives one of the two roles", async () => {
    const team = await startTeam(kind);
    const options = team.inProject(team.owner);
    for (let round = 0; round < rounds; round++) {
      const email = `guest${round}@example.org`;
      const offer = (role: "viewer" | "editor") =>
        team.call("auth/invite/create", { email, permissions: asRole(role) }, options);
      const { invite_code } = (await offer("viewer")).body;
      const guest = await team.person(email);
      const accept = (code: string) => team.call("auth/invite/accept", { invite_code: code }, { as: guest });
      const joins = round % 2 === 1;
      const [replaced, took] = await Promise.all([
        after(round % 3, async () => {
          const deleted = await team.call("auth/invite/delete", { invite_code }, options);
          return { deleted, created: await offer("editor") };
        }),
        after(round % 5, async () => (joins ? team.person(email, team.owner) : accept(invite_code))),
      ]);
      const wasFirst = outcomeOf(replaced.deleted) === "409 invite_already_accepted";
      if (wasFirst) expect(outcomeOf(replaced.created)).toBe("409 already_member");
      else expect([outcomeOf(replaced.deleted), outcomeOf(replaced.created)]).toEqual(["200", "200"]);
      if (!joins && !wasFirst) {
        expect(took).toMatchObject({ status: 404, body: { code: "invite_not_found" } });
        expect(outcomeOf(await accept(replaced.created.body.invite_code))).toBe("200");
      }
      const standing = await standingIn(team, team.projectId, email);
      expectInOnce(standing);
      const expected = [wasFirst ? "role:viewer" : "role:editor"];
      expect([standing.memberships[0]?.actions, standing.accepted]).toEqual([expected, [{ actions: expected }]]);
    }
  });

  test("two people who accept invites into each other's organization are both let in", async () => {
    const team = await startTeam(kind);
    const { owner: neighbour, projectId: theirs } = await team.neighbour();
    for (let round = 0; round < 2; round++) {
      const ours = await team.person(`ours${round}@example.com`, team.owner);
      const other = await team.person(`theirs${round}@example.org`, neighbour);
      const invite = async (email: string, as: typeof ours, project: string) =>
        (await team.call("auth/invite/create", { email, permissions: asRole("viewer") }, { as, project })).body;
      const toThem = await invite(ours.email, neighbour, theirs);
      const toUs = await invite(other.email, team.owner, team.projectId);
      // Each locks its own organization first and the other's second: on PostgreSQL that is a deadlock, tried again.
      const answers = await Promise.all([
        team.call("auth/invite/accept", { invite_code: toThem.invite_code }, { as: ours }),
        team.call("auth/invite/accept", { invite_code: toUs.invite_code }, { as: other }),
      ]);
      expect(answers.map(outcomeOf)).toEqual(["200", "200"]);
    }
  });
});
