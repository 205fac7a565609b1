import { expect, test } from "vitest";
import { serve } from "../../test/support/local-servers.ts";
import { problemOf } from "../../test/support/problem-of.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startVault } from "../../test/support/vault.ts";

/** A system that repeats the request in its response. */
const startParrot = (status: number, say: (heard: string) => unknown): Promise<string> =>
  serve(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const heard = `${request.headers.authorization ?? ""} ${request.url} ${Buffer.concat(parts)}`;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(say(heard)));
  });

describeOnBothStores("the message of a system that refuses a sign-in", (kind) => {
  test.each([
    [
      "marketing",
      { client_id: "id-of-the-test", client_secret: "canary/secret=of+the-test" },
      (heard: string) => ({ error: "invalid_client", error_description: `bad client: ${heard}` }),
    ],
    [
      "deployment",
      { token: "canary-token-of-the-test" },
      (heard: string) => ({ error: { code: "forbidden", message: `no: ${heard}`, invalidToken: true } }),
    ],
    [
      "analytics",
      { refresh_token: "canary-refresh-of-the-test", client_id: "c", client_secret: "canary-secret-of-the-test" },
      (heard: string) => ({ error: "invalid_grant", error_description: `gone: ${heard}` }),
    ],
  ] as const)("%s: hold none of the credentials that were sent", async (system, credentials, say) => {
    const origin = await startParrot(401, say);
    const world = await startVault(kind, {}, { privateOrigins: [origin] });
    const { message } = await problemOf(world.vault.verify(world.projectId, { system, instance: origin, credentials }));
    expect(message).toContain("[secret]");
    expect(decodeURIComponent(message.replaceAll("+", " "))).not.toContain("canary");
  });

  test("is cut to a readable length", async () => {
    const origin = await startParrot(401, () => ({ error: "invalid_client", error_description: "a".repeat(100_000) }));
    const world = await startVault(kind, {}, { privateOrigins: [origin] });
    const credentials = { client_id: "id-of-the-test", client_secret: "secret-of-the-test" };
    const wish = { system: "marketing" as const, instance: origin, credentials };
    expect((await problemOf(world.vault.verify(world.projectId, wish))).message.length).toBeLessThanOrEqual(1000);
  });

  test("a sign-in follows no redirect, not even within its origin", async () => {
    const seen: string[] = [];
    const origin = await serve((request, response) => {
      seen.push(String(request.url));
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const world = await startVault(kind, {}, { privateOrigins: [origin] });
    const wish = {
      system: "deployment" as const,
      instance: origin,
      credentials: { token: "canary-token-of-the-test" },
    };
    expect((await problemOf(world.vault.verify(world.projectId, wish))).message).toContain("sends elsewhere");
    expect(seen).toEqual(["/v2/user"]);
  });
});
