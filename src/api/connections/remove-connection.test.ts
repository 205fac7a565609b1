import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startPopUp } from "../../../test/support/browser/pop-up.ts";
import { serve } from "../../../test/support/processes/local-servers.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../../test/support/systems/vault.ts";
import { startTeam } from "../../../test/support/team.ts";

describeOnBothStores("removing a connection", (kind) => {
  test("revokes the grant that it destroys, also one that was given during the revocation", async () => {
    const analytics = await startSandbox("analytics");
    let beforeRevoking: (() => Promise<unknown>) | null = null;
    const url = await serve(async (request, response) => {
      if (request.url === "/revoke") await takeOnce();
      const answer = await fetch(`${analytics.url}${request.url}`, await sameRequest(request));
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
      response.end(await answer.text());
    });
    const takeOnce = async () => {
      const work = beforeRevoking;
      beforeRevoking = null;
      await work?.();
    };
    const team = await startTeam(kind, { sandboxes: sandboxUrls({}, url), clients: {} });
    const asOwner = team.inProject(team.owner);
    const { refresh_tokens, client_id, client_secret } = analytics.credentials.oauth;
    const connect = async (token: string, more = {}) => {
      const credentials = { refresh_token: token, client_id, client_secret };
      const body = { system: "analytics", instance: "sandbox", credentials, ...more };
      const answer = await team.call("connections/connect", body, asOwner);
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return answer.body.connection_id as string;
    };
    const id = await connect(refresh_tokens.viewer);
    beforeRevoking = () => connect(refresh_tokens.editor, { connection_id: id });
    const removed = await team.call(`connections/${id}/remove`, { revoke: true }, asOwner);
    expect(removed.body).toMatchObject({ removed: true, revoked: { at_system: true } });
    expect(await analytics.requests("/revoke")).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect((await team.call(`connections/${id}/get`, {}, asOwner)).body.state).toBe("removed");
    expect(await team.store.query("select id from connections where sealed is not null")).toEqual([]);
  });

  // "Removing a connection looks for siblings that share the installation, and then forgets only its own secret, says so,
  // and uninstalls with the last one or when asked explicitly."
  test("leaves an installation that other connections share, and uninstalls it with the last one", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const elsewhere = { as: team.owner, project: await team.project(team.owner, "Second") };
    const join = async (options = asOwner) => {
      const begun = await connect({}, options);
      await comeBack(await consent(begun.connect_url));
      return (await status(begun.connect_id, options)).connection_id as string;
    };
    const [first, second, third] = [await join(), await join(elsewhere), await join()];
    const remove = async (id: string, options = asOwner, more = {}) =>
      (await team.call(`connections/${id}/remove`, more, options)).body.revoked;
    const uninstalls = async () => (await sandbox.requests()).filter(({ method }) => method === "DELETE");
    expect((await team.call(`connections/${first}/impact`, {}, asOwner)).body.shared_with).toBe(2);
    const kept = { at_system: false, shared_with: 2, detail: expect.stringContaining("2 other connections") };
    expect(await remove(first)).toEqual(kept);
    expect(await team.lastAudit()).toMatchObject({ action: "connection.removed", details: { revoked: kept } });
    expect(await uninstalls()).toEqual([]);
    const check = async () => (await team.call(`connections/${second}/check`, {}, elsewhere)).body.state;
    expect(await check()).toBe("connected");
    expect(await remove(third)).toMatchObject({ at_system: false, shared_with: 1 });
    expect(await remove(second, elsewhere)).toEqual({ at_system: true, detail: expect.any(String) });
    expect(await uninstalls()).toHaveLength(1);
  });

  // "Revoking one token ends all grants of that person for our client: removing revokes only with the last."
  test("leaves the consent of a person who has connected twice, and revokes it with the last one", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "analytics");
    const elsewhere = { as: team.owner, project: await team.project(team.owner, "Second") };
    const join = async (options = asOwner, person = "editor") => {
      const begun = await connect({}, options);
      await comeBack(await consent(begun.connect_url, { person }));
      return (await status(begun.connect_id, options)).connection_id as string;
    };
    const [first, second, others] = [await join(), await join(elsewhere), await join(asOwner, "viewer")];
    const { refresh_tokens, client_id, client_secret } = sandbox.credentials.oauth;
    const credentials = { refresh_token: refresh_tokens.editor, client_id, client_secret };
    await team.call("connections/connect", { system: "analytics", instance: "sandbox", credentials }, asOwner);
    const remove = async (id: string, options = asOwner) =>
      (await team.call(`connections/${id}/remove`, {}, options)).body.revoked;
    const check = async (id: string, options = asOwner) =>
      (await team.call(`connections/${id}/check`, {}, options)).body;
    expect(await remove(first)).toMatchObject({ at_system: false, shared_with: 1 });
    expect(await sandbox.requests("/revoke")).toEqual([]);
    expect(await check(second, elsewhere)).toMatchObject({ state: "connected", health: { ok: true } });
    expect(await remove(second, elsewhere)).toMatchObject({ at_system: true });
    expect(await sandbox.requests("/revoke")).toMatchObject([{ status: 200 }]);
    expect(await check(others)).toMatchObject({ state: "connected", health: { ok: true } });
  });

  // Each finds the other, and neither may rely on the other to end the grant.
  test("uninstalls once if all connections of an installation are removed at the same moment", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const join = async () => {
      const begun = await connect();
      await comeBack(await consent(begun.connect_url));
      return (await status(begun.connect_id)).connection_id as string;
    };
    const ids = [await join(), await join(), await join()];
    const removed = await Promise.all(ids.map((id) => team.call(`connections/${id}/remove`, {}, asOwner)));
    expect(removed.map(({ body }) => body.revoked.at_system).sort()).toEqual([false, false, true]);
    expect((await sandbox.requests()).filter(({ method }) => method === "DELETE")).toMatchObject([{ status: 204 }]);
    expect(await team.store.query("select id from connections where sealed is not null")).toEqual([]);
  });

  // A person who connects again has changed their mind: the connection counts as a sibling at once.
  test("leaves an installation whose other connection was to be removed and was connected again", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const join = async (more = {}) => {
      const begun = await connect(more);
      await comeBack(await consent(begun.connect_url));
      return (await status(begun.connect_id)).connection_id as string;
    };
    const [first, second] = [await join(), await join()];
    const { vault } = team.context.rooms;
    const standing = await vault.findAnywhere(first);
    if (!standing) throw new Error("It is not there.");
    // Its process ends before the removal is saved.
    await vault.revoke(standing, {});
    expect((await team.call(`connections/${second}/impact`, {}, asOwner)).body.shared_with).toBeUndefined();
    await join({ connection_id: first });
    const kept = (await team.call(`connections/${second}/remove`, {}, asOwner)).body.revoked;
    expect(kept).toMatchObject({ at_system: false, shared_with: 1 });
    expect((await sandbox.requests()).filter(({ method }) => method === "DELETE")).toEqual([]);
  });

  test("ends the others at once if the shared installation is to be removed all the same", async () => {
    const { connect, consent, comeBack, status, team, asOwner } = await startPopUp(kind, "deployment");
    const join = async () => {
      const begun = await connect();
      await comeBack(await consent(begun.connect_url));
      return (await status(begun.connect_id)).connection_id as string;
    };
    const [first, second] = [await join(), await join()];
    const { body } = await team.call(`connections/${first}/remove`, { revoke_shared: true }, asOwner);
    expect(body.revoked).toMatchObject({ at_system: true, shared_with: 1 });
    const left = await team.call(`connections/${second}/get`, {}, asOwner);
    expect(left.body).toMatchObject({ state: "needs_reconnect", state_reason: expect.stringContaining(first) });
  });
});

async function sameRequest(request: IncomingMessage): Promise<RequestInit> {
  const { authorization = "", "content-type": type = "" } = request.headers;
  const method = request.method ?? "GET";
  const body = method === "GET" ? {} : { body: await text(request) };
  return { method, headers: { authorization, "content-type": type }, ...body };
}
