import { Vercel } from "vercel-sdk-1.3";
import { HTTPClient } from "vercel-sdk-1.3/lib/http.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkedFetch, type StartedSandbox, startSandbox } from "./testing/started-sandbox.ts";

/** The vendor's own client, the release whose endpoint versions are those that the tool steps use. */
describe("@vercel/sdk 1.3.1", () => {
  let sandbox: StartedSandbox;
  let vercel: Vercel;
  let teamId: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    teamId = sandbox.credentials.team_id;
    vercel = new Vercel({
      bearerToken: sandbox.credentials.token,
      serverURL: sandbox.url,
      httpClient: new HTTPClient({ fetcher: checkedFetch }),
    });
  });
  afterAll(() => sandbox.stop());

  test("deploys a file that travels in the body, follows it to READY and reads its log", async () => {
    const created = await vercel.deployments.createDeployment({
      teamId,
      forceNew: "1",
      requestBody: {
        name: "hello-files",
        target: "production",
        meta: { requestedBy: "agent" },
        files: [{ file: "index.html", data: "<h1>Hello</h1>", encoding: "utf-8" }],
        projectSettings: { framework: null },
      },
    });
    expect(created.readyState).toBe("QUEUED");
    const states: string[] = [];
    for (const seconds of [2, 1, 5, 1]) {
      await sandbox.advance(seconds);
      const now = await vercel.deployments.getDeployment({ idOrUrl: created.id, teamId });
      states.push(`${now.readyState} ${now.aliasAssigned}`);
    }
    expect(states).toEqual(["INITIALIZING false", "BUILDING false", "READY false", "READY true"]);
    // This release knows no body for the log; the field list looks at it on its way.
    await vercel.deployments.getDeploymentEvents({ idOrUrl: created.id, teamId });
    const found = await vercel.deployments.getDeployments({ teamId, app: "hello-files", target: "production" });
    expect(found.deployments.map(({ uid }) => uid)).toEqual([created.id]);
  });

  test("creates, lists, reads, edits and removes variables", async () => {
    const { created, failed } = await vercel.projects.createProjectEnv({
      idOrName: "landing",
      teamId,
      requestBody: { key: "SECRET", value: "s3cret", type: "encrypted", target: ["production"] },
    });
    expect(failed).toEqual([]);
    const id = Array.isArray(created) ? "" : (created.id ?? "");
    const listed = await vercel.projects.filterProjectEnvs({ idOrName: "landing", teamId });
    expect(JSON.stringify(listed)).not.toContain("s3cret");
    const read = await vercel.projects.getProjectEnv({ idOrName: "landing", id, teamId });
    expect(read).toMatchObject({ key: "SECRET", decrypted: true });
    await vercel.projects.editProjectEnv({ idOrName: "landing", id, teamId, requestBody: { key: "RENAMED" } });
    const after = await vercel.projects.filterProjectEnvs({ idOrName: "landing", teamId });
    expect("envs" in after && after.envs.map(({ key }) => key)).toEqual(["RENAMED"]);
    await vercel.projects.removeProjectEnv({ idOrName: "landing", id, teamId });
  });

  test("lists the members of a team", async () => {
    const { members, pagination } = await vercel.teams.getTeamMembers({ teamId });
    expect(members).toHaveLength(20);
    expect(pagination.hasNext).toBe(true);
    const owners = await vercel.teams.getTeamMembers({ teamId, role: "OWNER" });
    expect(owners.members.map(({ email }) => email)).toEqual(["ann-archer@example.com"]);
  });

  test("reads teams and the current user", async () => {
    const { teams } = await vercel.teams.getTeams({});
    expect(teams.map(({ slug }) => slug)).toEqual(["acme-labs", "acme"]);
    expect(await vercel.teams.getTeam({ teamId })).toMatchObject({ slug: "acme" });
    expect((await vercel.user.getAuthUser())?.user.username).toBe("ann-archer");
  });
});
