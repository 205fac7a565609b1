import { expect, test } from "vitest";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { cleanUpLater, describeOnBothStores, newPostgresDatabase, type StoreKind } from "../support/stores.ts";
import { asRole, startTeam, type Team } from "../support/team.ts";
import { auditOf, manyAtOnce, outcomeOf } from "./race.ts";

/** The node where people work and the node where one of them is deactivated: two of them where the store allows it. */
async function startNodes(kind: StoreKind): Promise<{ team: Team; node: TestApp }> {
  if (kind === "sqlite") {
    const team = await startTeam(kind);
    return { team, node: team };
  }
  const url = await newPostgresDatabase();
  const [here, there] = [openPostgres(url), openPostgres(url)];
  cleanUpLater(() => Promise.all([here.close(), there.close()]));
  const team = await startTeam(kind, { store: here });
  return { team, node: await startApp(kind, { store: there }) };
}

// R4: "after deactivation is acknowledged, no new request by that user succeeds."
describeOnBothStores("deactivation while 64 requests of the person are under way", (kind) => {
  test("none that starts after it is acknowledged succeeds, and none takes effect after it", async () => {
    const { team, node } = await startNodes(kind);
    for (let round = 0; round < (kind === "sqlite" ? 3 : 2); round++) {
      const leaver = await team.colleague(`leaver${round}`, "admin");
      let isAcknowledged = false;
      let answered = 0;
      const late: string[] = [];
      const work = async (loop: number) => {
        let afterwards = 0;
        while (afterwards < 3) {
          const startedAfter = isAcknowledged;
          const outcome = outcomeOf(await requestOf(node, leaver, team.projectId, loop + answered++));
          if (!startedAfter) continue;
          late.push(outcome);
          afterwards++;
        }
      };
      const loops = manyAtOnce(64, work);
      // Not before every loop has had an answer or two: the requests are really under way.
      while (answered < 150) await new Promise<void>((resolve) => setImmediate(resolve));
      await team.deactivate(leaver);
      isAcknowledged = true;
      await loops;
      expect(late).toHaveLength(64 * 3);
      expect(new Set(late)).toEqual(new Set(["401 owner_deactivated"]));
      await expectNothingAfter(team, leaver);
    }
  });
});

/** Reads and writes by turns, in the project and outside of it. */
function requestOf(node: TestApp, person: TestPerson, project: string, i: number) {
  const options = { as: person, project };
  const email = `guest${i}-${person.userId}@example.org`;
  switch (i % 4) {
    case 0:
      return node.call("auth/info", {}, options);
    case 1:
      return node.call("auth/invite/create", { email, permissions: asRole("viewer") }, options);
    case 2:
      return node.call("auth/keys/create", { label: `key ${i}` }, options);
    default:
      return node.call("auth/users/list", {}, options);
  }
}

/** The log has no change of theirs behind the deactivation, and nothing they offered or made is left in force. */
async function expectNothingAfter(team: Team, leaver: TestPerson): Promise<void> {
  const rows = await auditOf(team);
  const end = rows.findIndex((row) => row.action === "user.deactivated" && row.target === leaver.userId);
  expect(rows.slice(0, end).filter((row) => row.user_id === leaver.userId).length).toBeGreaterThan(0);
  expect(rows.slice(end).filter((row) => row.user_id === leaver.userId)).toEqual([]);
  const open = await team.store.query("select code from invites where invited_by = $1 and status = 'pending'", [
    leaver.userId,
  ]);
  const alive = await team.store.query("select id from api_keys where user_id = $1 and disabled_at is null", [
    leaver.userId,
  ]);
  expect([open, alive]).toEqual([[], []]);
}
