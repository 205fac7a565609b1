import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectionThatOpensNothing } from "../../test/support/calls/valid-calls.ts";
import { pause, redeploy, startWithTool, waiting } from "../../test/support/runs/tools.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { allPages, aTime, expectGuarded, expectRefused, startTeam, type Team } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { definitionFor, requireTool } from "./tools.ts";

const definitionInProject = async (team: Team, toolId: string, version?: "draft" | "published" | number) =>
  definitionFor(team.store, await requireTool(team.store, team.projectId, toolId), version);

describeOnBothStores("create a tool", (kind) => {
  test("it is saved as it was given, and has an id", async () => {
    const team = await startTeam(kind);
    const given = redeploy(await connectionThatOpensNothing(team, "deployment"));
    const { status, body } = await team.call("tools/create", given, team.inProject(team.owner));
    expect([status, body]).toEqual([200, { tool_id: expect.stringMatching(/^tol_us_/) }]);
    const got = await team.call(`tools/${body.tool_id}/get`, {}, team.inProject(team.owner));
    expect(got.body).toEqual({
      tool_id: body.tool_id,
      ...given,
      revision: 1,
      published_version: null,
      created_by: team.owner.userId,
      created_at: aTime,
      updated_at: aTime,
    });
    expect(await team.lastAudit()).toMatchObject({ action: "tool.created", target: body.tool_id });
  });

  test("a definition that would not work is refused with a pointer, and nothing is saved", async () => {
    const team = await startTeam(kind);
    const good = redeploy(await connectionThatOpensNothing(team, "deployment"));
    const [latest, again] = good.steps;
    const neighbour = await team.neighbour();
    const theirs = await connectionThatOpensNothing(
      { ...team, projectId: neighbour.projectId, owner: neighbour.owner },
      "deployment",
    );
    await expectRefused(team, "tools/create", team.inProject(team.owner), [
      [{}, 400, "malformed_request", "#/title"],
      [{ ...good, steps: "all" }, 400, "malformed_request", "#/steps"],
      [{ ...good, title: " " }, 422, "validation_failed", "#/title"],
      [{ ...good, steps: [] }, 422, "validation_failed", "#/steps"],
      [{ ...good, steps: [{ ...latest, step: "fly" }] }, 422, "validation_failed", "#/steps/0/step"],
      [{ ...good, steps: [again, latest] }, 422, "validation_failed", "#/steps/0/if"],
      [{ ...good, steps: [{ ...latest, input: { limit: "x" } }] }, 422, "validation_failed", "#/steps/0/input/limit"],
      [{ ...good, steps: [{ ...latest, connection_id: theirs }] }, 422, "validation_failed", "#/steps/0/connection_id"],
      [
        { ...good, steps: [{ ...latest, connection_id: "a\u0000b" }] },
        422,
        "validation_failed",
        "#/steps/0/connection_id",
      ],
      [{ ...good, params_schema: { type: "array" } }, 422, "validation_failed", "#/params_schema/type"],
      [{ ...good, output: "{{ $eval('1') }}" }, 422, "validation_failed", "#/output"],
    ]);
  });

  test("needs an editor of the project", async () => {
    await expectGuarded(await startTeam(kind), "tools/create", waiting, "editor");
  });

  test("an Idempotency-Key creates one tool, however often it is sent", async () => {
    const { team, call, options } = await startWithTool(kind);
    const repeated = { ...options, headers: { "idempotency-key": "once" } };
    const first = await team.call("tools/create", waiting, repeated);
    const second = await team.call("tools/create", waiting, repeated);
    expect(second.body).toEqual(first.body);
    expect((await call("tools/list")).body.results).toHaveLength(2);
  });
});

describeOnBothStores("read tools", (kind) => {
  test("an editor lists and reads them, in the order in which they were created; a viewer does not", async () => {
    const { team, call, toolId } = await startWithTool(kind);
    for (const title of ["b", "c"]) await call("tools/create", { ...waiting, title });
    const viewer = team.inProject(await team.colleague("viewer", "viewer"));
    const editor = team.inProject(await team.colleague("editor", "editor"));
    const pages = await allPages(team.call, "tools/list", { limit: 2 }, editor);
    expect(pages.map((page) => page.map(({ title }) => title))).toEqual([["Waits", "b"], ["c"]]);
    expect((await team.call(`tools/${toolId}/get`, {}, editor)).status).toBe(200);
    expect((await team.call(`tools/${toolId}/get`, {}, viewer)).body.code).toBe("editor_required");
  });

  test("another organization's tool looks absent, at every operation", async () => {
    const { team, toolId } = await startWithTool(kind);
    const { owner, projectId } = await team.neighbour();
    const bodies: Record<string, unknown> = {
      get: {},
      update: { title: "Mine" },
      publish: {},
      versions: {},
      restore: { version: 1 },
      rename_step: { from: "pause", to: "rest" },
      export: {},
      delete: {},
    };
    for (const [word, body] of Object.entries(bodies)) {
      const theirs = await team.call(`tools/${toolId}/${word}`, body, { as: owner, project: projectId });
      const absent = await team.call(`tools/${newId("tool", "us")}/${word}`, body, { as: owner, project: projectId });
      expectProblem(theirs, "tool_not_found");
      expectProblem(absent, "tool_not_found");
    }
  });
});

describeOnBothStores("change a tool", (kind) => {
  test("members that are left out stay, and null removes a member", async () => {
    const { call, toolId } = await startWithTool(kind);
    const described = await call(`tools/${toolId}/update`, { description: "d", output: { a: 1 } });
    expect(described.body).toMatchObject({ ...waiting, description: "d", output: { a: 1 }, revision: 2 });
    const bare = await call(`tools/${toolId}/update`, { description: null, output: null, title: "Still waits" });
    expect(bare.body).toMatchObject({ ...waiting, title: "Still waits", revision: 3 });
    expect(Object.keys(bare.body)).not.toContain("description");
    expect(Object.keys(bare.body)).not.toContain("output");
  });

  test("the whole definition is checked: a step that others refer to cannot be removed", async () => {
    const { team, call, toolId, options } = await startWithTool(kind);
    await call(`tools/${toolId}/update`, { output: "{{steps.pause.output}}" });
    await expectRefused(team, `tools/${toolId}/update`, options, [
      [{ steps: [{ ...pause, name: "rest" }] }, 422, "validation_failed", "#/output"],
      [{ steps: [] }, 422, "validation_failed", "#/steps"],
      [{ title: null }, 400, "malformed_request", "#/title"],
      [{ title: "Late", revision: 1 }, 409, "tool_changed"],
    ]);
    await expectGuarded(team, `tools/${toolId}/update`, { title: "x" }, "editor");
  });

  test("of two people who change the same revision, the second is refused", async () => {
    const { call, toolId } = await startWithTool(kind);
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((title) => call(`tools/${toolId}/update`, { title, revision: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test("renaming a step rewrites its references", async () => {
    const { team, call, toolId, options } = await startWithTool(kind);
    await call(`tools/${toolId}/update`, { output: ["{{steps.pause.output}}", "{{ $keys(steps) }}"] });
    const { body } = await call(`tools/${toolId}/rename_step`, { from: "pause", to: "rest" });
    expect(body).toMatchObject({
      steps: [{ ...pause, name: "rest" }],
      output: ["{{steps.rest.output}}", "{{ $keys(steps) }}"],
      rewritten: 1,
      warnings: [{ pointer: "#/output/1", code: "open_expression" }],
    });
    expect(await team.lastAudit()).toMatchObject({
      action: "tool.step_renamed",
      details: { from: "pause", to: "rest" },
    });
    await expectRefused(team, `tools/${toolId}/rename_step`, options, [
      [{ from: "pause", to: "other" }, 422, "validation_failed", "#/from"],
      [{ from: "rest", to: "No Name" }, 422, "validation_failed", "#/to"],
      [{ from: "rest" }, 400, "malformed_request", "#/to"],
    ]);
    await call(`tools/${toolId}/update`, { steps: [{ ...pause, name: "rest" }, pause], output: null });
    await expectRefused(team, `tools/${toolId}/rename_step`, options, [
      [{ from: "rest", to: "pause" }, 422, "validation_failed", "#/to"],
    ]);
  });
});

// "Rolling upgrade: the previous version beside the new one." A node of that version names the tool alone, and may die before it answers.
describeOnBothStores("a repeat of a rename that a node of the previous version began", (kind) => {
  test("returns the tool, renamed once", async () => {
    const { team, toolId, options } = await startWithTool(kind);
    const once = { ...options, headers: { "idempotency-key": "once" } };
    const rename = () => team.call(`tools/${toolId}/rename_step`, { from: "pause", to: "rest" }, once);
    const first = await rename();
    const begun = "update idempotent_answers set sealed = 2, body = $1";
    await team.store.transaction((db) => db.query(begun, [toolId]));
    const again = await rename();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.body).toEqual({ ...first.body, rewritten: 0, warnings: [] });
  });
});

describeOnBothStores("publish a tool", (kind) => {
  test("until then runs use the draft, and then the published version", async () => {
    const { team, call, toolId } = await startWithTool(kind);
    expect(await definitionInProject(team, toolId)).toMatchObject({ version: null, definition: { title: "Waits" } });
    expect((await call(`tools/${toolId}/publish`, { note: "a\u0000b" })).body.code).toBe("validation_failed");
    expect((await call(`tools/${toolId}/publish`, { note: "first" })).body).toMatchObject({ version: 1 });
    await call(`tools/${toolId}/update`, { title: "Edited" });
    expect(await definitionInProject(team, toolId)).toMatchObject({ version: 1, definition: { title: "Waits" } });
    expect(await definitionInProject(team, toolId, "draft")).toMatchObject({
      version: null,
      definition: { title: "Edited" },
    });
    expect(await definitionInProject(team, toolId, 1)).toMatchObject({ version: 1, definition: { title: "Waits" } });
    await expect(definitionInProject(team, toolId, 2)).rejects.toMatchObject({ code: "tool_version_not_found" });
    expect((await call(`tools/${toolId}/publish`)).body).toMatchObject({ version: 2 });
    expect(await definitionInProject(team, toolId)).toMatchObject({ version: 2, definition: { title: "Edited" } });
  });

  test("a draft that is published already keeps its version", async () => {
    const { call, toolId } = await startWithTool(kind);
    for (let i = 0; i < 2; i++) expect((await call(`tools/${toolId}/publish`)).body.version).toBe(1);
    expect((await call(`tools/${toolId}/versions`)).body.results).toHaveLength(1);
  });

  test("every version is stored, newest first, and can become the draft again", async () => {
    const { team, call, toolId, options } = await startWithTool(kind);
    for (const title of ["One", "Two", "Three"]) {
      await call(`tools/${toolId}/update`, { title });
      await call(`tools/${toolId}/publish`, { note: `This is ${title}` });
    }
    const pages = await allPages(team.call, `tools/${toolId}/versions`, { limit: 2 }, options);
    expect(pages.map((page) => page.map(({ version }) => version))).toEqual([[3, 2], [1]]);
    expect(pages[0]?.[0]).toEqual({
      tool_id: toolId,
      version: 3,
      note: "This is Three",
      definition: { ...waiting, title: "Three" },
      created_by: team.owner.userId,
      created_at: aTime,
    });
    const restored = await call(`tools/${toolId}/restore`, { version: 1 });
    expect(restored.body).toMatchObject({ title: "One", published_version: 3 });
    expect(await definitionInProject(team, toolId)).toMatchObject({ version: 3 });
    expect((await call(`tools/${toolId}/publish`)).body.version).toBe(4);
    await expectRefused(team, `tools/${toolId}/restore`, options, [
      [{ version: 9 }, 404, "tool_version_not_found"],
      [{ version: 0 }, 422, "validation_failed", "#/version"],
      [{ version: 2 ** 40 }, 422, "validation_failed", "#/version"],
      [{}, 400, "malformed_request", "#/version"],
    ]);
    await expectGuarded(team, `tools/${toolId}/publish`, {}, "editor");
  });
});

describeOnBothStores("delete a tool", (kind) => {
  test("it is gone, and so are its schedules", async () => {
    const { team, call, toolId } = await startWithTool(kind);
    await expectGuarded(team, `tools/${toolId}/delete`, {}, "editor");
    await call("schedules/create", { tool_id: toolId, cron: "@daily" });
    expect((await call(`tools/${toolId}/delete`)).body).toEqual({
      tool_id: toolId,
      deleted: true,
      schedules_deleted: 1,
    });
    expectProblem(await call(`tools/${toolId}/get`), "tool_not_found");
    expectProblem(await call(`tools/${toolId}/delete`), "tool_not_found");
    expect((await call("tools/list")).body.results).toEqual([]);
    expect((await call("schedules/list")).body.results).toEqual([]);
  });
});
