import { describe, expect, test } from "vitest";
import { problemOf } from "../../test/support/calls/problem-of.ts";
import { serve, speak } from "../../test/support/processes/local-servers.ts";
import { cleanUpLater, describeOnBothStores } from "../../test/support/stores.ts";
import { startVault } from "../../test/support/systems/vault.ts";
import { marketingSignIn } from "../systems/marketing/sign-in/sign-in.ts";
import { type Endpoint, SignInFailed } from "../systems/sign-in.ts";
import { createOutbound } from "../transport/outbound.ts";
import { runSignIn } from "./run-sign-in.ts";

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

// "One that is mistyped is told from one that is away (unreachable vendors are not `authentication_failed`)."
describe("an address that a person typed", () => {
  /** The result of asking for a token there, in a network in which `looked` is what becomes of the name. */
  async function failureAt(origin: string, instance: Endpoint["instance"], looked = "ENOTFOUND") {
    const resolve = () => Promise.reject(Object.assign(new Error(`getaddrinfo ${looked}`), { code: looked }));
    const isLocal = origin.startsWith("http:");
    const outbound = createOutbound({ privateOrigins: isLocal ? [origin] : [], ...(isLocal ? {} : { resolve }) });
    cleanUpLater(() => outbound.close());
    const grant = { kind: "client credentials", clientId: "id", clientSecret: "hush-hush" } as const;
    const endpoint: Endpoint = { instance, addresses: { main: origin }, client: null, isTyped: true };
    const failure = await runSignIn(marketingSignIn.obtain(grant, endpoint), endpoint, outbound, 200).catch((e) => e);
    if (!(failure instanceof SignInFailed)) throw failure;
    return failure;
  }
  const vendor = "https://123-abc-456.mktorest.com";
  const closed = "http://127.0.0.1:9";
  const mute = () => speak("");
  const cut = () => speak("", (socket) => socket.destroy());

  test.each<[string, string | (() => Promise<string>), Endpoint["instance"], string, string, RegExp]>([
    [
      "mistyped: an instance that the vendor does not have",
      vendor,
      "live",
      "ENOTFOUND",
      "wrong_endpoint",
      /nobody knows/,
    ],
    [
      "mistyped: a name that nobody knows",
      "https://typo.invalid",
      "custom",
      "ENOTFOUND",
      "wrong_endpoint",
      /not known/,
    ],
    ["away: the vendor's names cannot be looked up", vendor, "live", "EAI_AGAIN", "unreachable", /cannot be reached/],
    ["away: a port that accepts no connection", closed, "custom", "", "unreachable", /accepts no connection/],
    ["away: the vendor accepts no connection", closed, "live", "", "unreachable", /accepts no connection/],
    ["away: no answer in time", mute, "custom", "", "unreachable", /did not respond in time/],
    ["away: a connection that is cut", cut, "custom", "", "unreachable", /broke off/],
  ])("%s", async (_, address, instance, looked, reason, detail) => {
    const failure = await failureAt(typeof address === "string" ? address : await address(), instance, looked);
    expect([failure.reason, failure.message]).toEqual([reason, expect.stringMatching(detail)]);
  });
});
