import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serve } from "../../../test/support/local-servers.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { sandboxUrls, startSandbox } from "../../../test/support/vault.ts";

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
});

async function sameRequest(request: IncomingMessage): Promise<RequestInit> {
  const { authorization = "", "content-type": type = "" } = request.headers;
  const method = request.method ?? "GET";
  const body = method === "GET" ? {} : { body: await text(request) };
  return { method, headers: { authorization, "content-type": type }, ...body };
}
