import { describe, expect, test } from "vitest";
import { startApp, type TestPerson } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { startPostgres } from "../../test/support/databases/postgres.ts";
import { cleanUpLater, describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { operations } from "../api/index.ts";
import { migrate } from "../store/migrate.ts";
import { openPostgres } from "../store/postgres/postgres.ts";

/** "Fail closed (kill the DB: everything is 503, nothing is 200)", ASVS 16.5.3. */

type Called = Pick<Team, "call">;

async function expectAllUnavailable({ call }: Called, as: TestPerson, project: string): Promise<void> {
  for (const { path, needs } of operations) {
    const answer = await call(path.slice("/latest/".length).replace(/\{\w+\}/g, "an-id"), {}, { as, project });
    // Operations without credentials check the body first.
    if (needs === "nobody" && answer.status < 500) {
      expectProblem(answer, "malformed_request");
      continue;
    }
    expectProblem(answer, "unavailable");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  }
}

describeOnBothStores("a store that is closed", (kind) => {
  test("every operation is 503 with Retry-After, and none is 200", async () => {
    const team = await startTeam(kind);
    expect((await team.call("auth/info", {}, { as: team.owner })).status).toBe(200);
    await team.store.close();
    await expectAllUnavailable(team, team.owner, team.projectId);
  });

  test("pages that need no store are still served", async () => {
    const { store, call, app } = await startTeam(kind);
    await store.close();
    expectProblem(await call("auth/info", {}), "credentials_missing");
    expectProblem(await call("auth/info", {}, { authorization: "Bearer :nonsense" }), "credentials_invalid");
    expect((await app.inject({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
  });
});

describe("a PostgreSQL server that goes down", () => {
  test("every operation is 503 from then on", async ({ skip }) => {
    const server = await startPostgres();
    if (typeof server === "string") return skip(server);
    let isRunning = true;
    const stopServer = async () => {
      if (isRunning) await server.stop();
      isRunning = false;
    };
    cleanUpLater(stopServer);
    const store = openPostgres(server.url, 2);
    cleanUpLater(() => store.close());
    await migrate(store, new Date());
    const app = await startApp("postgres", { store });
    const owner = await app.person("owner@example.com");
    const project = await app.project(owner);
    await stopServer();
    await expectAllUnavailable(app, owner, project);
  });
});
