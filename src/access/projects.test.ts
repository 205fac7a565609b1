import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  allPages,
  aTime,
  everythingIn,
  expectGuarded,
  expectRefused,
  expectSameRefusal,
  expectWrongRegion,
  startTeam,
} from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { newApiKey } from "./callers/api-key-format.ts";

const aProjectId = expect.stringMatching(/^prj_us_[0-9a-z]{26}$/);

describeOnBothStores("create a project", (kind) => {
  test("the creator gets its id and becomes its admin, and the audit log has a row", async () => {
    const { owner, call, lastAudit } = await startTeam(kind);
    const wanted = { name: " Web shop ", description: "Two\nlines", organization_id: owner.organizationId };
    const answer = await call("projects/create", wanted, { as: owner });
    expect([answer.status, answer.body]).toEqual([200, { project_id: aProjectId }]);
    const project = answer.body.project_id;

    const people = await call("auth/users/list", {}, { as: owner, project });
    expect(people.body.results).toMatchObject([{ user_id: owner.userId, role: "admin" }]);
    expect(await lastAudit()).toMatchObject({
      action: "project.created",
      actor: "person",
      user_id: owner.userId,
      project_id: project,
      target: project,
      details: { name: "Web shop" },
      request_id: answer.headers["x-request-id"],
    });
  });

  // "Project creation: Bearer :<api_key>. The project part is empty." Libraries that always send one keep working.
  test("a project part in the header is not used, yet must look like one", async () => {
    const { owner, call } = await startTeam(kind);
    const wanted = { name: "Another", description: "", organization_id: owner.organizationId };
    const answer = await call("projects/create", wanted, { as: owner, project: "whatever-1" });
    expect([answer.status, answer.body]).toEqual([200, { project_id: aProjectId }]);
    const refused = await call("projects/create", wanted, { as: owner, project: "what.ever" });
    expect([refused.status, refused.body.code]).toEqual([401, "credentials_invalid"]);
  });

  test("bad input is refused, and nothing is kept", async () => {
    const team = await startTeam(kind);
    const good = { name: "Web shop", description: "", organization_id: team.owner.organizationId };
    await expectRefused(team, "projects/create", { as: team.owner }, [
      [{ ...good, name: undefined }, 400, "malformed_request", "#/name"],
      [{ ...good, name: 7 }, 400, "malformed_request", "#/name"],
      [{ ...good, description: null }, 400, "malformed_request", "#/description"],
      [{ ...good, organization_id: undefined }, 400, "malformed_request", "#/organization_id"],
      [{ ...good, name: "" }, 422, "validation_failed", "#/name"],
      [{ ...good, name: "   " }, 422, "validation_failed", "#/name"],
      [{ ...good, name: "x".repeat(201) }, 422, "validation_failed", "#/name"],
      [{ ...good, name: "two\nlines" }, 422, "validation_failed", "#/name"],
      [{ ...good, description: "x".repeat(2001) }, 422, "validation_failed", "#/description"],
      [{ ...good, description: "a\u0000b" }, 422, "validation_failed", "#/description"],
      [{ ...good, organization_id: "" }, 422, "validation_failed", "#/organization_id"],
      [{ ...good, organization_id: "org_us_\u0000" }, 422, "validation_failed", "#/organization_id"],
      ["[]", 400, "malformed_request"],
      ['{"name":"a","name":"b"}', 400, "malformed_request"],
    ]);
  });

  test("unknown members of the body have no effect", async () => {
    const { owner, colleague, call } = await startTeam(kind);
    const other = await colleague("other");
    const forged = {
      project_id: "prj_us_mine",
      created_by: other.userId,
      created_at: "2001-01-01T00:00:00Z",
      role: "viewer",
    };
    const wanted = { name: "Mine", description: "", organization_id: owner.organizationId, ...forged };
    const { body } = await call("projects/create", wanted, { as: owner });
    const { body: project } = await call("projects/get", {}, { as: owner, project: body.project_id });
    expect(project).toMatchObject({ project_id: aProjectId, created_by: owner.userId });
    expect(project.created_at).not.toBe(forged.created_at);
  });

  test("every member of the organization may, unless only its owner may", async () => {
    const { owner, colleague, call } = await startTeam(kind);
    const member = await colleague("member");
    const wanted = { name: "Web shop", description: "", organization_id: owner.organizationId };
    expect((await call("projects/create", wanted, { as: member })).status).toBe(200);
    await call("organizations/update", { project_creation: "owners" }, { as: owner });
    const refused = await call("projects/create", wanted, { as: member });
    expect([refused.status, refused.body.code]).toEqual([403, "owner_required"]);
    expect((await call("projects/create", wanted, { as: owner })).status).toBe(200);
  });

  test("another organization looks absent, and another region is refused with its name", async () => {
    const { owner, neighbour, call, store } = await startTeam(kind);
    const { owner: stranger } = await neighbour();
    const before = await everythingIn(store);
    const create = (organization_id: string) =>
      call("projects/create", { name: "Mine", description: "", organization_id }, { as: owner });
    const foreign = await create(stranger.organizationId);
    expect(foreign.status).toBe(404);
    expectSameRefusal("organization_not_found", foreign, await create(newId("organization", "us")));
    expectWrongRegion(await create(newId("organization", "eu")), "eu");
    const elsewhere = { authorization: `Bearer :${newApiKey("au")}` };
    expectWrongRegion(await call("projects/create", {}, elsewhere), "au");
    expect(await everythingIn(store)).toBe(before);
  });
});

describeOnBothStores("list projects", (kind) => {
  test("pages list all projects in the order of creation", async () => {
    const { owner, projectId, project, call } = await startTeam(kind);
    const ids = [projectId];
    for (const name of ["B", "C", "D", "E"]) ids.push(await project(owner, name));
    const pages = await allPages(call, "projects/list", { limit: 2 }, { as: owner });
    expect(pages.map((page) => page.map((each) => each.project_id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      [ids[4]],
    ]);
    const whole = await call("projects/list", { limit: 5 }, { as: owner });
    expect([whole.body.results.length, whole.body.next]).toEqual([5, null]);
    expect(pages[0]?.[0]).toEqual({
      project_id: projectId,
      organization_id: owner.organizationId,
      name: "A project",
      description: "",
      created_by: owner.userId,
      created_at: aTime,
      updated_at: aTime,
      role: "admin",
    });
  });

  test("a member sees their own with their role, the organization's owner all, a neighbour none of them", async () => {
    const { owner, projectId, colleague, project, neighbour, call } = await startTeam(kind);
    const viewer = await colleague("viewer", "viewer");
    const own = await project(viewer);
    const seen = async (as: typeof owner) =>
      (await call("projects/list", {}, { as })).body.results.map((each: { project_id: string; role: string }) => [
        each.project_id,
        each.role,
      ]);
    expect(await seen(viewer)).toEqual([
      [projectId, "viewer"],
      [own, "admin"],
    ]);
    expect(await seen(owner)).toEqual([
      [projectId, "admin"],
      [own, "admin"],
    ]);
    const next = await neighbour();
    expect(await seen(next.owner)).toEqual([[next.projectId, "admin"]]);
  });

  test("a restricted key lists the projects it can access, and skips those its owner is not in", async () => {
    const { owner, project, colleague, call, neighbour } = await startTeam(kind);
    const member = await colleague("member");
    const closed = [await project(owner), await project(owner)];
    const foreign = (await neighbour()).projectId;
    const open = [await project(member), await project(member)];
    const wanted = { project_ids: [...open, ...closed, foreign], max_role: "editor" };
    const { api_key } = (await call("auth/keys/create", wanted, { as: member })).body;
    const pages = await allPages(call, "projects/list", { limit: 1 }, { authorization: `Bearer :${api_key}` });
    expect(pages.flat().map((each) => [each.project_id, each.role])).toEqual(open.map((id) => [id, "editor"]));
  });

  test("an invalid page size or cursor is refused, and so is another region's key", async () => {
    const team = await startTeam(kind);
    await expectRefused(team, "projects/list", { as: team.owner }, [
      [{ limit: 0 }, 422, "validation_failed", "#/limit"],
      [{ limit: 101 }, 422, "validation_failed", "#/limit"],
      [{ limit: "2" }, 400, "malformed_request", "#/limit"],
      [{ after: "x".repeat(201) }, 422, "validation_failed", "#/after"],
      [{ after: "\u0000" }, 422, "validation_failed", "#/after"],
    ]);
    expectWrongRegion(await team.call("projects/list", {}, { authorization: `Bearer :${newApiKey("eu")}` }), "eu");
  });
});

describeOnBothStores("read and update a project", (kind) => {
  test("a viewer reads it, named in the header or in the body", async () => {
    const team = await startTeam(kind);
    const { owner, projectId, call, inProject } = team;
    const viewer = await team.colleague("viewer", "viewer");
    const answer = await call("projects/get", {}, inProject(viewer));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        project_id: projectId,
        organization_id: owner.organizationId,
        name: "A project",
        description: "",
        created_by: owner.userId,
        created_at: aTime,
        updated_at: aTime,
      },
    ]);
    expect((await call("projects/get", { project_id: projectId }, { as: viewer })).text).toBe(answer.text);
    await expectGuarded(team, "projects/get", {}, "viewer");
  });

  test("another organization's project named in the body looks absent, even beside one's own in the header", async () => {
    const team = await startTeam(kind);
    const { projectId: foreign } = await team.neighbour();
    const ask = (project_id: string) => team.call("projects/get", { project_id }, team.inProject(team.owner));
    expectSameRefusal("project_not_found", await ask(foreign), await ask(newId("project", "us")));
    expect((await ask("prj_us_\u0000")).body).toMatchObject({ status: 422, errors: [{ pointer: "#/project_id" }] });
    expectWrongRegion(await ask(newId("project", "au")), "au");
  });

  test("an admin changes the given fields, and the others stay", async () => {
    const team = await startTeam(kind);
    const { owner, projectId, call, advance, inProject } = team;
    const { body: before } = await call("projects/get", {}, inProject(owner));
    advance(60);
    const answer = await call("projects/update", { description: "The shop" }, inProject(owner));
    const after = { ...before, description: "The shop", updated_at: answer.body.updated_at };
    expect([answer.status, answer.body]).toEqual([200, after]);
    expect(answer.body.updated_at > before.updated_at).toBe(true);
    expect((await call("projects/get", {}, inProject(owner))).body).toEqual(after);
    expect(await team.lastAudit()).toMatchObject({
      action: "project.updated",
      user_id: owner.userId,
      project_id: projectId,
      target: projectId,
      details: { description: "The shop" },
    });
  });

  test("only an admin updates it, and only with values that fit", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "projects/update", { name: "Taken over" }, "admin");
    await expectRefused(team, "projects/update", team.inProject(team.owner), [
      [{ name: "" }, 422, "validation_failed", "#/name"],
      [{ name: false }, 400, "malformed_request", "#/name"],
      [{ description: "a\u0000b" }, 422, "validation_failed", "#/description"],
    ]);
  });
});

describeOnBothStores("delete a project", (kind) => {
  // "Deleting a project through the API is unavailable. The endpoint is in development."
  test("returns 501 to any account, and deletes nothing", async () => {
    const { owner, projectId, neighbour, call, inProject, store } = await startTeam(kind);
    const { owner: stranger } = await neighbour();
    const before = await everythingIn(store);
    for (const operation of ["projects/delete", `projects/${projectId}/delete`]) {
      for (const as of [owner, stranger]) {
        const answer = await call(operation, {}, inProject(as));
        expect([answer.status, answer.body.code]).toEqual([501, "not_available"]);
        expect(answer.body.detail).toBe("Deleting a project through the API is in development.");
        expect(answer.headers["retry-after"]).toBeUndefined();
      }
      expect((await call(operation, {})).status).toBe(401);
    }
    expect(await everythingIn(store)).toBe(before);
  });
});
