import { expect, test } from "vitest";
import { permissions, startApp } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

describeOnBothStores("create an invite", (kind) => {
  test("a new person gets a code and no access yet", async () => {
    const { person, project, call } = await startApp(kind);
    const owner = await person("owner@example.com");
    const projectId = await project(owner);
    const answer = await call(
      "auth/invite/create",
      { email: "new@example.com", permissions: permissions("role:viewer") },
      { as: owner, project: projectId },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ invite_code: expect.stringMatching(/^inv_us_[0-9a-z]{14}[0-9A-Za-z]{43}$/) });
    const people = await call("auth/users/list", {}, { as: owner, project: projectId });
    expect(people.body.results.map((each: { email: string }) => each.email)).toEqual(["owner@example.com"]);
  });
});
