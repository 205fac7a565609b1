import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import {
  allPages,
  aTime,
  everythingIn,
  expectRefused,
  expectSameRefusal,
  expectWrongRegion,
  startTeam,
} from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { newApiKey } from "./callers/api-key-format.ts";

describeOnBothStores("read an organization", (kind) => {
  test("an account lists and reads its own organization, with its role in it", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    const { organizationId: organization_id } = team.owner;
    const record = {
      organization_id,
      name: "owner@example.com",
      region: "us",
      role: "owner",
      project_creation: "members",
      keys_on_reactivation: "stay_off",
      second_factor: "optional",
      created_at: aTime,
    };
    const { body } = await team.call("organizations/get", {}, { as: team.owner });
    expect(body).toEqual(record);
    expect((await team.call("organizations/get", { organization_id }, { as: team.owner })).body).toEqual(body);
    expect((await team.call("organizations/get", {}, { as: member })).body).toEqual({ ...record, role: "member" });
    expect(await allPages(team.call, "organizations/list", { limit: 1 }, { as: team.owner })).toEqual([[body]]);
    const past = await team.call("organizations/list", { after: organization_id }, { as: team.owner });
    expect(past.body).toEqual({ results: [], next: null });
  });

  test("any other looks absent, and one of another region is refused with that region", async () => {
    const { owner, neighbour, call } = await startTeam(kind);
    const { owner: stranger } = await neighbour();
    for (const operation of ["organizations/get", "organizations/update"]) {
      const ask = (organization_id: string) => call(operation, { organization_id, name: "Mine" }, { as: stranger });
      const foreign = await ask(owner.organizationId);
      expect(foreign.status).toBe(404);
      expectSameRefusal("organization_not_found", foreign, await ask(newId("organization", "us")));
      expectWrongRegion(await ask(newId("organization", "eu")), "eu");
    }
    for (const operation of ["organizations/list", "organizations/get", "organizations/update"]) {
      expectWrongRegion(await call(operation, {}, { authorization: `Bearer :${newApiKey("au")}` }), "au");
    }
  });
});

describeOnBothStores("update an organization", (kind) => {
  test("its owner changes the given fields, and the others stay", async () => {
    const team = await startTeam(kind);
    const { body: before } = await team.call("organizations/get", {}, { as: team.owner });
    const change = { name: " Example Ltd ", keys_on_reactivation: "restore" };
    const answer = await team.call("organizations/update", change, { as: team.owner });
    const after = { ...before, name: "Example Ltd", keys_on_reactivation: "restore" };
    expect([answer.status, answer.body]).toEqual([200, after]);
    expect((await team.call("organizations/get", {}, { as: team.owner })).body).toEqual(after);
    expect(await team.lastAudit()).toMatchObject({
      action: "organization.updated",
      user_id: team.owner.userId,
      project_id: null,
      target: team.owner.organizationId,
      details: { name: "Example Ltd", keys_on_reactivation: "restore" },
      request_id: answer.headers["x-request-id"],
    });
  });

  test("only the owner may, not even an admin of all its projects", async () => {
    const team = await startTeam(kind);
    const { owner: stranger } = await team.neighbour();
    const { organizationId: organization_id } = team.owner;
    const before = await everythingIn(team.store);
    expect((await team.call("organizations/update", { organization_id, name: "x" }, { as: stranger })).status).toBe(
      404,
    );
    expect(await everythingIn(team.store)).toBe(before);
    const admin = await team.colleague("admin", "admin");
    await expectRefused(team, "organizations/update", { as: admin }, [[{ name: "Mine" }, 403, "owner_required"]]);
  });

  test("bad input is refused, and nothing changes", async () => {
    const team = await startTeam(kind);
    await expectRefused(team, "organizations/update", { as: team.owner }, [
      [{ name: "" }, 422, "validation_failed", "#/name"],
      [{ name: 7 }, 400, "malformed_request", "#/name"],
      [{ name: "a\u2028b" }, 422, "validation_failed", "#/name"],
      [{ project_creation: "nobody" }, 422, "validation_failed", "#/project_creation"],
      [{ keys_on_reactivation: "maybe" }, 422, "validation_failed", "#/keys_on_reactivation"],
      [{ keys_on_reactivation: true }, 400, "malformed_request", "#/keys_on_reactivation"],
      [{ organization_id: "" }, 422, "validation_failed", "#/organization_id"],
    ]);
  });
});
