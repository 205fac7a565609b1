import { expect, test } from "vitest";
import { describeOnBothStores } from "../support/stores.ts";
import { asRole, startTeam } from "../support/team.ts";
import { auditOf, manyAtOnce, outcomeOf } from "./race.ts";

// R2: "one Idempotency-Key, one effect."
describeOnBothStores("one Idempotency-Key at the same moment", (kind) => {
  const keyed = (name: string) => ({ headers: { "idempotency-key": name } });

  test("fifty calls make one project, and all get the same answer", async () => {
    const team = await startTeam(kind);
    const wanted = { name: "Once", description: "", organization_id: team.owner.organizationId };
    const answers = await manyAtOnce(50, () =>
      team.call("projects/create", wanted, { as: team.owner, ...keyed("once") }),
    );
    expect(answers.map(outcomeOf)).toEqual(Array(50).fill("200"));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers["idempotency-replayed"] === "true")).toHaveLength(49);
    const made = (await auditOf(team)).filter((row) => row.action === "project.created");
    expect(made.map((row) => row.target)).toEqual([team.projectId, answers[0]?.body.project_id]);
    const projects = await team.call("projects/list", {}, { as: team.owner });
    expect(projects.body.results).toHaveLength(2);
  });

  test("fifty calls make one API key, whose secret all of them get, and it works", async () => {
    const team = await startTeam(kind);
    const answers = await manyAtOnce(50, () =>
      team.call("auth/keys/create", { label: "once" }, { as: team.owner, ...keyed("once") }),
    );
    expect(new Set(answers.map((answer) => answer.body.api_key)).size).toBe(1);
    const keys = await team.call("auth/keys/list", {}, { as: { ...team.owner, apiKey: answers[0]?.body.api_key } });
    expect(keys.body.results.filter((key: { label: string }) => key.label === "once")).toHaveLength(1);
  });

  test("where the first is refused for the state of things, so are the others, and nothing is kept", async () => {
    const team = await startTeam(kind);
    const invite = { email: team.owner.email, permissions: asRole("viewer") };
    const options = { ...team.inProject(team.owner), ...keyed("refused") };
    const answers = await manyAtOnce(20, () => team.call("auth/invite/create", invite, options));
    expect(new Set(answers.map(outcomeOf))).toEqual(new Set(["409 already_member"]));
    expect(await team.store.query("select * from idempotent_answers")).toEqual([]);
  });

  test("of calls with two different bodies one body wins, and the others get the mismatch", async () => {
    const team = await startTeam(kind);
    const answers = await manyAtOnce(40, (i) => {
      const wanted = { name: `Body ${i % 2}`, description: "", organization_id: team.owner.organizationId };
      return team.call("projects/create", wanted, { as: team.owner, ...keyed("two bodies") });
    });
    const [even, odd] = [0, 1].map((rest) => new Set(answers.filter((_, i) => i % 2 === rest).map(outcomeOf)));
    const mismatch = new Set(["422 idempotency_mismatch"]);
    expect([even, odd]).toEqual(even?.has("200") ? [new Set(["200"]), mismatch] : [mismatch, new Set(["200"])]);
    const projects = await team.call("projects/list", {}, { as: team.owner });
    expect(projects.body.results).toHaveLength(2);
  });

  test("the same key of two people means two different calls", async () => {
    const team = await startTeam(kind);
    const colleague = await team.colleague("colleague");
    const wanted = { name: "Mine", description: "", organization_id: team.owner.organizationId };
    const answers = await manyAtOnce(20, (i) =>
      team.call("projects/create", wanted, { as: i % 2 === 0 ? team.owner : colleague, ...keyed("shared word") }),
    );
    expect(new Set(answers.map((answer) => answer.body.project_id)).size).toBe(2);
  });
});
