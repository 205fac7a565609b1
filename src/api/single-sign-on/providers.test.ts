import { expect, test } from "vitest";
import { permissions } from "../../../test/support/app.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { allPages, aTime, everythingIn, expectRefused, startTeam, type Team } from "../../../test/support/team.ts";

const wanted = {
  kind: "oidc",
  label: "Entra ID",
  issuer: "https://idp.example.com/tenant",
  client_id: "client",
  client_secret: "very secret indeed",
};

describeOnBothStores("identity providers", (kind) => {
  const create = async (team: Team, more: Record<string, unknown> = {}) =>
    team.call("single_sign_on/create", { ...wanted, ...more }, { as: team.owner });

  test("an owner creates one; the record shows everything but the secret", async () => {
    const team = await startTeam(kind);
    const { status, body, text } = await create(team);
    expect(status).toBe(200);
    expect(body).toEqual({
      provider_id: expect.stringMatching(/^sso_us_/),
      kind: "oidc",
      label: "Entra ID",
      enabled: true,
      required: false,
      issuer: wanted.issuer,
      client_id: "client",
      has_client_secret: true,
      scopes: ["openid", "email", "profile"],
      entity_id: null,
      entry_point: null,
      certificates: null,
      just_in_time: false,
      default_project_id: null,
      default_permissions: null,
      directory_id: null,
      register_at_provider: { redirect_uri: "http://us.test/sso/oidc/callback" },
      sign_in_url: `http://us.test/sso/start?provider=${body.provider_id}`,
      created_by: team.owner.userId,
      created_at: aTime,
      updated_at: aTime,
    });
    expect(text).not.toContain("very secret");
    expect(await everythingIn(team.store)).not.toContain("very secret");
    expect(await team.lastAudit()).toMatchObject({
      action: "single_sign_on.created",
      target: body.provider_id,
      details: { kind: "oidc", label: "Entra ID", required: false },
    });
    const got = await team.call(`single_sign_on/${body.provider_id}/get`, {}, { as: team.owner });
    expect(got.body).toEqual(body);
  });

  test("a change keeps omitted members, including the secret", async () => {
    const team = await startTeam(kind);
    const { body } = await create(team);
    const update = (change: Record<string, unknown>) =>
      team.call(`single_sign_on/${body.provider_id}/update`, change, { as: team.owner });
    const changed = await update({ label: "Okta", required: true });
    expect(changed.body).toMatchObject({ ...body, label: "Okta", required: true, updated_at: aTime });
    const placed = await update({
      just_in_time: true,
      default_project_id: team.projectId,
      default_permissions: permissions("role:viewer"),
    });
    expect(placed.body.default_permissions).toEqual(permissions("role:viewer"));
    expect((await update({ client_secret: null })).body.has_client_secret).toBe(false);
    const cleared = await update({ default_project_id: null, default_permissions: null });
    expect([cleared.body.default_project_id, cleared.body.label]).toEqual([null, "Okta"]);
    expect(await team.lastAudit()).toMatchObject({
      action: "single_sign_on.updated",
      details: { changed: ["default_project_id", "default_permissions"] },
    });
  });

  test("bad input is refused, and nothing is kept", async () => {
    const team = await startTeam(kind);
    const { projectId: foreign } = await team.neighbour();
    const { issuer: _, ...withoutIssuer } = wanted;
    await expectRefused(team, "single_sign_on/create", { as: team.owner }, [
      [{}, 400, "malformed_request", "#/kind"],
      [{ ...wanted, kind: "ldap" }, 422, "validation_failed", "#/kind"],
      [withoutIssuer, 422, "validation_failed", "#/issuer"],
      [{ ...wanted, issuer: "idp" }, 422, "validation_failed", "#/issuer"],
      [{ ...wanted, scopes: ["email"] }, 422, "validation_failed", "#/scopes"],
      [{ ...wanted, scopes: ["openid", "a b"] }, 422, "validation_failed", "#/scopes/1"],
      [{ ...wanted, client_id: "a\u0000b" }, 422, "validation_failed", "#/client_id"],
      [{ ...wanted, label: "" }, 422, "validation_failed", "#/label"],
      [{ ...wanted, enabled: "yes" }, 400, "malformed_request", "#/enabled"],
      [{ ...wanted, default_project_id: team.projectId }, 422, "validation_failed", "#/default_permissions"],
      [{ ...wanted, default_project_id: foreign, default_permissions: permissions("admin") }, 404, "project_not_found"],
      [{ ...wanted, directory_id: "dir_us_none" }, 422, "validation_failed", "#/directory_id"],
    ]);
  });

  test("another organization's provider looks absent, and members are refused", async () => {
    const team = await startTeam(kind);
    const { body } = await create(team);
    const { owner: stranger } = await team.neighbour();
    const admin = await team.colleague("admin", "admin");
    for (const path of ["get", "update", "delete", "test"]) {
      const operation = `single_sign_on/${body.provider_id}/${path}`;
      expect((await team.call(operation, {}, { as: stranger })).body.code).toBe("provider_not_found");
      expect((await team.call(operation, {}, { as: admin })).body.code).toBe("owner_required");
    }
    expect((await team.call("single_sign_on/list", {}, { as: stranger })).body.results).toEqual([]);
  });

  test("they are listed page by page, twenty at most, and deleted with their links", async () => {
    const team = await startTeam(kind);
    for (let count = 0; count < 20; count++) expect((await create(team)).status).toBe(200);
    expect((await create(team)).body.code).toBe("too_many_providers");
    const pages = await allPages(team.call, "single_sign_on/list", { limit: 8 }, { as: team.owner });
    expect(pages.map((page) => page.length)).toEqual([8, 8, 4]);
    const id = String(pages[0]?.[0]?.provider_id);
    const gone = await team.call(`single_sign_on/${id}/delete`, {}, { as: team.owner });
    expect(gone.body).toEqual({ provider_id: id, deleted: true, unlinked: 0 });
    expect((await team.call(`single_sign_on/${id}/get`, {}, { as: team.owner })).status).toBe(404);
  });

  test("testing an unreachable one returns why, without an internal error", async () => {
    const team = await startTeam(kind);
    const { body } = await create(team, { issuer: "https://nobody.invalid" });
    const tested = await team.call(`single_sign_on/${body.provider_id}/test`, {}, { as: team.owner });
    expect([tested.status, tested.body]).toEqual([
      200,
      {
        provider_id: body.provider_id,
        ok: false,
        checks: [
          { name: "enabled", ok: true, detail: "Yes." },
          { name: "discovery", ok: false, detail: expect.stringContaining("cannot be reached") },
        ],
      },
    ]);
  });

  test("the organization's first provider gets its only directory, unless the owner says otherwise", async () => {
    const team = await startTeam(kind);
    await team.store.transaction((db) =>
      db.query("insert into directories (id, organization_id, label, created_at) values ('dir_us_1', $1, '', $2)", [
        team.owner.organizationId,
        team.now().toISOString(),
      ]),
    );
    expect((await create(team)).body.directory_id).toBe("dir_us_1");
    expect((await create(team)).body.directory_id).toBeNull();
    expect((await create(team, { directory_id: "dir_us_1" })).body.directory_id).toBe("dir_us_1");
  });
});

describeOnBothStores("domains", (kind) => {
  const name = (team: Team, domain: string, as = team.owner) => team.call("domains/create", { domain }, { as });
  const verify = (team: Team, id: string, as = team.owner) => team.call(`domains/${id}/verify`, {}, { as });

  test("an owner verifies a domain with a DNS record", async () => {
    const team = await startTeam(kind);
    const { body } = await name(team, "Example.COM");
    expect(body).toEqual({
      domain_id: expect.stringMatching(/^dom_us_/),
      domain: "example.com",
      provider_id: null,
      verified: false,
      verified_at: null,
      verified_by: null,
      record: expect.stringMatching(/^signalbox-verification=[0-9A-Za-z]{43}$/),
      created_at: aTime,
    });
    const missing = await verify(team, body.domain_id);
    expect([missing.status, missing.body.code, missing.body.record]).toEqual([409, "domain_unproven", body.record]);
    team.txtRecords.set("example.com", ["v=spf1 -all", "signalbox-verification=another", ` ${body.record}`]);
    expect((await verify(team, body.domain_id)).body.detail).toContain("another text of this kind");
    team.txtRecords.set("example.com", ["v=spf1 -all", body.record]);
    const done = await verify(team, body.domain_id);
    expect(done.body).toEqual({ ...body, verified: true, verified_at: aTime, verified_by: "dns" });
    expect(await team.lastAudit()).toMatchObject({ action: "domain.verified", target: body.domain_id });
    // Verifying it again changes nothing.
    expect((await verify(team, body.domain_id)).body.verified_at).toBe(done.body.verified_at);
  });

  test("it belongs to one organization: a second one is refused until the first deletes it", async () => {
    const team = await startTeam(kind);
    const { owner: stranger } = await team.neighbour();
    const [mine, theirs] = [await name(team, "example.com"), await name(team, "example.com", stranger)];
    team.txtRecords.set("example.com", [mine.body.record, theirs.body.record]);
    expect((await verify(team, mine.body.domain_id)).status).toBe(200);
    expect((await verify(team, theirs.body.domain_id, stranger)).body.code).toBe("domain_taken");
    expect((await verify(team, mine.body.domain_id, stranger)).body.code).toBe("domain_not_found");
    const gone = await team.call(`domains/${mine.body.domain_id}/delete`, {}, { as: team.owner });
    expect(gone.body).toEqual({ domain_id: mine.body.domain_id, deleted: true });
    expect((await verify(team, theirs.body.domain_id, stranger)).status).toBe(200);
  });

  test("of two organizations that verify it concurrently, one gets it", async () => {
    const team = await startTeam(kind);
    const { owner: stranger } = await team.neighbour();
    const [mine, theirs] = [await name(team, "example.com"), await name(team, "example.com", stranger)];
    team.txtRecords.set("example.com", [mine.body.record, theirs.body.record]);
    const both = await Promise.all([verify(team, mine.body.domain_id), verify(team, theirs.body.domain_id, stranger)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("an invalid domain is refused, and adding one twice returns the first", async () => {
    const team = await startTeam(kind);
    await expectRefused(team, "domains/create", { as: team.owner }, [
      [{}, 400, "malformed_request", "#/domain"],
      [{ domain: "localhost" }, 422, "validation_failed", "#/domain"],
      [{ domain: "a b.example.com" }, 422, "validation_failed", "#/domain"],
      [{ domain: "x@example.com" }, 422, "validation_failed", "#/domain"],
      [{ domain: "example.com/path" }, 422, "validation_failed", "#/domain"],
      [{ domain: "127.0.0.1" }, 422, "validation_failed", "#/domain"],
      [{ domain: "example.com", provider_id: "sso_us_none" }, 404, "provider_not_found"],
    ]);
    const { body } = await name(team, "example.com");
    const again = await name(team, "EXAMPLE.com");
    expect([again.status, again.body.code, again.body.domain_id]).toEqual([
      409,
      "domain_already_named",
      body.domain_id,
    ]);
    const pages = await allPages(team.call, "domains/list", { limit: 1 }, { as: team.owner });
    expect(pages.flat().map((each) => each.domain)).toEqual(["example.com"]);
  });

  test("a DNS failure verifies nothing", async () => {
    const team = await startTeam(kind);
    const { body } = await name(team, "example.com");
    team.txtRecords.get = () => {
      throw new Error("the resolver is away");
    };
    const refused = await verify(team, body.domain_id);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("could not be read from the DNS"),
    ]);
  });
});
