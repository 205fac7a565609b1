import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { asRole, startTeam, type Team } from "../../test/support/team.ts";
import { startReceiver } from "../../test/support/webhooks/receiver.ts";

async function startWorld(kind: StoreKind) {
  const receiver = await startReceiver();
  const team = await startTeam(kind, { privateOrigins: [receiver.origin] });
  const listen = (more: object = {}) =>
    team.call("webhooks/create", { url: receiver.url, events: ["*"], ...more }, team.inProject(team.owner));
  return {
    team,
    listen,
    async heard() {
      await team.context.rooms.webhooks.deliveries.sendDue();
      return receiver.received.map(({ body }) => [body.type, body.project_id, body.data.target]);
    },
    receiver,
  };
}

const inviteTo = (team: Team, email: string) =>
  team.call("auth/invite/create", { email, permissions: asRole("viewer") }, team.inProject(team.owner));

describeOnBothStores("a change is announced to webhooks", (kind) => {
  test("of the project, with the audit log's details and without a secret", async () => {
    const { team, listen, heard, receiver } = await startWorld(kind);
    await listen();
    const { invite_code: code } = (await inviteTo(team, "new@example.com")).body;
    await team.call("auth/invite/delete", { invite_code: code }, team.inProject(team.owner));
    await team.call("projects/update", { name: "Renamed" }, team.inProject(team.owner));
    expect((await heard()).sort()).toEqual([
      ["invite.created", team.projectId, code],
      ["invite.deleted", team.projectId, code],
      ["project.updated", team.projectId, team.projectId],
    ]);
    expect(receiver.received[0]?.body.data).toMatchObject({ by: team.owner.userId, details: expect.any(Object) });
  });

  test("never for a refused call, and once for a repeated call", async () => {
    const { team, listen, heard } = await startWorld(kind);
    await listen();
    const again = { ...team.inProject(team.owner), headers: { "idempotency-key": "once" } };
    const wanted = { email: "new@example.com", permissions: asRole("viewer") };
    for (let i = 0; i < 2; i++) expect((await team.call("auth/invite/create", wanted, again)).status).toBe(200);
    expect((await inviteTo(team, "new@example.com")).status).toBe(409);
    expect(await heard()).toHaveLength(1);
  });

  test("of the organization alone if it concerns no project, such as a key", async () => {
    const { team, listen, heard, receiver } = await startWorld(kind);
    await listen();
    const { body: key } = await team.call("auth/keys/create", { label: "spare" }, { as: team.owner });
    expect(await heard()).toEqual([]);
    await listen({ whole_organization: true });
    await team.call("auth/keys/revoke", { key_id: key.key_id }, { as: team.owner });
    expect(await heard()).toEqual([["key.revoked", null, key.key_id]]);
    expect(JSON.stringify(receiver.received)).not.toContain(key.api_key);
  });

  test("of the inviting organization when a person of another one accepts", async () => {
    const { team, listen, heard } = await startWorld(kind);
    await listen({ events: ["invite.accepted"] });
    const { owner: guest } = await team.neighbour();
    const { invite_code: code } = (await inviteTo(team, guest.email)).body;
    expect((await team.call("auth/invite/accept", { invite_code: code }, { as: guest })).status).toBe(200);
    expect(await heard()).toEqual([["invite.accepted", team.projectId, code]]);
  });
});
