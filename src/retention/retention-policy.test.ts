import { expect, test } from "vitest";
import { setPolicy } from "../../test/support/databases/old-records.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { aTime, expectRefused, startTeam, type Team } from "../../test/support/team.ts";

const read = async (team: Team) => (await team.call("organizations/retention/get", {}, { as: team.owner })).body;

describeOnBothStores("the retention policy of an organization", (kind) => {
  test("keeps everything but events and deliveries, until its owner changes it", async () => {
    const team = await startTeam(kind);
    const usual = {
      organization_id: team.owner.organizationId,
      runs: { days: null, export: true },
      events: { days: 30, export: false },
      deliveries: { days: 30, export: false },
      audit: { days: null, export: true },
      updated_by: null,
      updated_at: null,
    };
    expect(await read(team)).toEqual(usual);
    const changed = await setPolicy(team, { runs: { days: 90, export: false }, events: { days: null } });
    const after = {
      ...usual,
      runs: { days: 90, export: false },
      events: { days: null, export: false },
      updated_by: team.owner.userId,
      updated_at: aTime,
    };
    expect([changed.status, changed.body, await read(team)]).toEqual([200, after, after]);
    expect(await team.lastAudit()).toMatchObject({
      action: "retention.updated",
      user_id: team.owner.userId,
      details: { before: { runs: { days: null, export: true } }, after: { runs: { days: 90, export: false } } },
    });
  });

  test("is for owners, within bounds that say why, and the audit log is always exported", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    for (const operation of ["retention/get", "retention/update", "holds/list", "archives/list"]) {
      const refused = await team.call(`organizations/${operation}`, {}, { as: admin });
      expect([refused.status, refused.body.code]).toEqual([403, "owner_required"]);
    }
    await expectRefused(team, "organizations/retention/update", { as: team.owner }, [
      [{ runs: { days: 6 } }, 422, "validation_failed", "#/runs/days"],
      [{ runs: { days: 7.5 } }, 400, "malformed_request", "#/runs/days"],
      [{ audit: { days: 89 } }, 422, "validation_failed", "#/audit/days"],
      [{ events: { days: 3651 } }, 422, "validation_failed", "#/events/days"],
      [{ audit: { export: false } }, 422, "validation_failed", "#/audit/export"],
    ]);
    const { body } = await setPolicy(team, { events: { days: 1 } });
    expect(body.errors[0].detail).toContain("an event that is sent again is recognized by the stored one");
    expect((await read(team)).updated_by).toBeNull();
  });

  test("a legal hold has a reason, is listed, and is released once", async () => {
    const team = await startTeam(kind);
    const { owner: stranger, projectId: foreign } = await team.neighbour();
    const as = { as: team.owner };
    const { body: hold } = await team.call("organizations/holds/create", { reason: " Case 7 " }, as);
    expect(hold).toMatchObject({
      project_id: null,
      reason: "Case 7",
      created_by: team.owner.userId,
      released_at: null,
    });
    expect(await team.lastAudit()).toMatchObject({
      action: "hold.created",
      target: hold.hold_id,
      details: { reason: "Case 7" },
    });
    await expectRefused(team, "organizations/holds/create", as, [
      [{}, 400, "malformed_request", "#/reason"],
      [{ reason: "  " }, 422, "validation_failed", "#/reason"],
      [{ reason: "x", project_id: foreign }, 404, "project_not_found"],
    ]);
    const release = { hold_id: hold.hold_id, reason: "Closed" };
    expect((await team.call("organizations/holds/release", release, { as: stranger })).body.code).toBe(
      "hold_not_found",
    );
    const list = async (only_open: boolean) =>
      (await team.call("organizations/holds/list", { only_open }, as)).body.results;
    expect(await list(true)).toEqual([hold]);
    const released = await team.call("organizations/holds/release", release, as);
    expect(released.body).toMatchObject({
      released_by: team.owner.userId,
      released_at: aTime,
      release_reason: "Closed",
    });
    expect((await team.call("organizations/holds/release", release, as)).body.code).toBe("hold_released");
    expect([await list(true), await list(false)]).toEqual([[], [released.body]]);
  });
});
