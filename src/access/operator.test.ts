import { expect, test } from "vitest";
import { startApp, type TestApp } from "../../test/support/app.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { everythingIn, startTeam } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { type Email, readEmail } from "./email.ts";
import {
  createAccountAsOperator,
  createKeyAsOperator,
  operatorScope,
  requireAccount,
  revokeKeyAsOperator,
} from "./operator.ts";

const scopeOf = ({ store, now }: TestApp) => operatorScope(store, "us", now);
const emailOf = (text: string) => readEmail(text) as Email;

describeOnBothStores("the operator creates an account", (kind) => {
  test("a new organization with its owner, a key that works, and a first project", async () => {
    const app = await startApp(kind);
    const wanted = { email: emailOf("Ada@example.com"), organizationName: "Example Ltd", firstProject: "Web shop" };
    const { user, apiKey, projectId } = await createAccountAsOperator(scopeOf(app), wanted);
    const authorization = `Bearer ${projectId}:${apiKey}`;
    const { body } = await app.call("auth/info", {}, { authorization });
    expect(body).toMatchObject({
      user: { user_id: user.id, email: "Ada@example.com", organization_role: "owner" },
      organization: { organization_id: user.organizationId, name: "Example Ltd" },
      projects: [{ project_id: projectId, name: "Web shop", role: "admin" }],
    });
    expect((await app.call("audit/list", { whole_organization: true }, { authorization })).body.results).toMatchObject([
      {
        seq: 1,
        action: "organization.created",
        actor: "operator",
        user_id: null,
        key_id: null,
        target: user.id,
        details: { email: "Ada@example.com", key_id: body.key.key_id, project_id: projectId },
        request_id: null,
        ip: null,
      },
    ]);
    expect(await everythingIn(app.store)).not.toContain(apiKey);
  });

  test("a member of an existing organization, without further rights", async () => {
    const team = await startTeam(kind);
    const { organizationId } = team.owner;
    const { user, apiKey, projectId } = await createAccountAsOperator(scopeOf(team), {
      email: emailOf("member@example.com"),
      organizationId,
    });
    expect([user.organizationId, user.organizationRole, projectId]).toEqual([organizationId, "member", null]);
    const { body } = await team.call("auth/info", {}, { authorization: `Bearer :${apiKey}` });
    expect(body).toMatchObject({ user_id: user.id, projects: [] });
    expect(await team.lastAudit()).toMatchObject({ action: "user.created", actor: "operator", target: user.id });
  });

  test("an unknown organization or a known address changes nothing", async () => {
    const team = await startTeam(kind);
    const before = await everythingIn(team.store);
    const create = (email: string, organizationId: string) =>
      createAccountAsOperator(scopeOf(team), { email: emailOf(email), organizationId });
    await expect(create("x@example.com", newId("organization", "us"))).rejects.toMatchObject({
      code: "organization_not_found",
    });
    await expect(create("owner@EXAMPLE.com", team.owner.organizationId)).rejects.toMatchObject({ code: "email_taken" });
    expect(await everythingIn(team.store)).toBe(before);
  });
});

describeOnBothStores("the operator names an account", (kind) => {
  test("by id or by address; by address and organization where the address has two", async () => {
    const team = await startTeam(kind);
    const { email, userId, organizationId } = team.owner;
    const find = (wanted: Parameters<typeof requireAccount>[1]) => requireAccount(scopeOf(team), wanted);
    expect((await find({ userId })).id).toBe(userId);
    expect((await find({ email: emailOf("OWNER@example.com") })).id).toBe(userId);
    const twin = await team.person(email);
    await expect(find({ email: emailOf(email) })).rejects.toMatchObject({
      code: "user_not_found",
      message: `The address has accounts in several organizations; name one of ${organizationId}, ${twin.organizationId}.`,
    });
    expect((await find({ email: emailOf(email), organizationId: twin.organizationId })).id).toBe(twin.userId);
  });

  test("an unknown name, another organization or no name finds no account", async () => {
    const team = await startTeam(kind);
    for (const wanted of [
      { userId: newId("user", "us") },
      { email: emailOf("nobody@example.com") },
      { userId: team.owner.userId, organizationId: newId("organization", "us") },
      {},
    ]) {
      await expect(requireAccount(scopeOf(team), wanted)).rejects.toMatchObject({ code: "user_not_found" });
    }
  });
});

describeOnBothStores("the operator makes and revokes keys", (kind) => {
  test("both take effect at once and are in the audit log of the person's organization", async () => {
    const team = await startTeam(kind);
    const user = await requireAccount(scopeOf(team), { userId: team.owner.userId });
    const { key, apiKey } = await createKeyAsOperator(scopeOf(team), user, "spare");
    const authorization = `Bearer :${apiKey}`;
    expect((await team.call("auth/info", {}, { authorization })).body.key.key_id).toBe(key.id);
    const details = { label: "spare", user_id: user.id };
    expect(await team.lastAudit()).toMatchObject({ action: "key.created", actor: "operator", target: key.id, details });

    await revokeKeyAsOperator(scopeOf(team), key.id);
    expect((await team.call("auth/info", {}, { authorization })).body.code).toBe("key_revoked");
    expect(await team.lastAudit()).toMatchObject({ action: "key.revoked", actor: "operator", target: key.id });
  });

  test("a key created for a deactivated person is refused until they are reactivated", async () => {
    const team = await startTeam(kind);
    const person = await team.colleague("person");
    const { user } = await team.deactivate(person);
    const { apiKey } = await createKeyAsOperator(scopeOf(team), user, "early");
    const tryIt = async () => (await team.call("auth/info", {}, { authorization: `Bearer :${apiKey}` })).body.code;
    expect(await tryIt()).toBe("owner_deactivated");
    await team.reactivate(person);
    expect(await tryIt()).toBeUndefined();
  });

  test("a key that is unknown or was revoked before is refused, and nothing is written", async () => {
    const team = await startTeam(kind);
    const { key_id } = (await team.call("auth/keys/create", {}, { as: team.owner })).body;
    await revokeKeyAsOperator(scopeOf(team), key_id);
    const before = await everythingIn(team.store);
    await expect(revokeKeyAsOperator(scopeOf(team), key_id)).rejects.toMatchObject({ code: "key_already_revoked" });
    await expect(revokeKeyAsOperator(scopeOf(team), newId("key", "us"))).rejects.toMatchObject({
      code: "key_not_found",
    });
    expect(await everythingIn(team.store)).toBe(before);
  });
});
