import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signed } from "../../../../test/support/sign-in/scripted-provider.ts";
import { startSsoWorld } from "../../../../test/support/sign-in/sso-world.ts";

describe("OpenID Connect", () => {
  const start = async () => {
    const world = await startSsoWorld("sqlite");
    await world.verify("example.com");
    await world.colleague("ada");
    return world;
  };

  test("a token signed with a withdrawn key is refused", async () => {
    const world = await start();
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
    world.idp.jwks = [{ ...other.publicKey.export({ format: "jwk" }), kid: "k9", use: "sig", alg: "RS256" }];
    expect((await world.signIn()).code).toBe("sso_answer_refused");
  });

  test("elliptic curve keys are accepted", async () => {
    const world = await start();
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
    world.idp.jwks = [{ ...curve.publicKey.export({ format: "jwk" }), kid: "e1", use: "sig", alg: "ES256" }];
    world.idp.write = (token) => signed({ ...token, header: { alg: "ES256", kid: "e1" }, key: curve.privateKey });
    expect((await world.signIn()).status).toBe(303);
  });

  test("a state works in the browser that began it, once, and for ten minutes", async () => {
    const world = await start();
    const [first, second] = [world.browser(), world.browser()];
    const begin = async (browser: typeof first) => {
      const { location } = await browser.get(`/sso/start?provider=${world.providerId}`);
      return world.idp.agree(location ?? "");
    };
    const [mine, theirs] = [await begin(first), await begin(second)];
    // Another person's response in this browser would sign its user in as that person.
    expect((await first.get(theirs)).code).toBe("sso_flow_gone");
    expect((await world.browser().get(mine)).code).toBe("sso_flow_gone");
    expect((await first.get(mine)).status).toBe(303);
    expect((await first.get(mine)).code).toBe("sso_flow_gone");
    // The attempt did not use up the other sign-in.
    expect((await second.get(theirs)).status).toBe(303);
    const late = await begin(first);
    world.advance(601);
    expect((await first.get(late)).code).toBe("sso_flow_gone");
    for (const state of ["", "x", "%00", "a".repeat(43)]) {
      const answer = await first.get(`/sso/oidc/callback?code=x&state=${state}`);
      expect([state, answer.status, answer.code]).toEqual([state, 400, "sso_flow_gone"]);
    }
  });

  test("a code works once, and only with the verifier of its own sign-in", async () => {
    const world = await start();
    const browser = world.browser();
    const begin = async () => (await browser.get(`/sso/start?provider=${world.providerId}`)).location ?? "";
    const [first, second] = [await begin(), await begin()];
    const answered = world.idp.agree(first);
    const other = world.idp.agree(second);
    const code = answered.searchParams.get("code") ?? "";
    other.searchParams.set("code", code);
    expect((await browser.get(other)).code).toBe("sso_answer_refused");
    expect((await browser.get(answered)).code).toBe("sso_answer_refused");
    expect(browser.session).toBeUndefined();
  });

  const badAnswers: [name: string, change: (back: URL) => void, code: string][] = [
    ["no issuer although the provider names one", (back) => back.searchParams.delete("iss"), "sso_answer_refused"],
    ["another issuer", (back) => back.searchParams.set("iss", "https://attacker.invalid"), "sso_answer_refused"],
    ["two issuers", (back) => back.searchParams.append("iss", "https://attacker.invalid"), "sso_answer_refused"],
    ["two codes", (back) => back.searchParams.append("code", "x"), "sso_answer_refused"],
    ["two states", (back) => back.searchParams.append("state", "x"), "sso_flow_gone"],
    ["no code", (back) => back.searchParams.delete("code"), "sso_answer_refused"],
    ["an ID token in the address", (back) => back.searchParams.set("id_token", "x"), "sso_answer_refused"],
    ["a refusal", (back) => back.searchParams.set("error", "access_denied"), "sso_declined"],
    ["a refusal with markup", (back) => back.searchParams.set("error", "<script>"), "sso_declined"],
  ];

  test("a response with a missing or repeated parameter, or an error, is refused", async () => {
    const world = await start();
    for (const [name, change, code] of badAnswers) {
      const browser = world.browser();
      const back = world.idp.agree((await browser.get(`/sso/start?provider=${world.providerId}`)).location ?? "");
      change(back);
      const answer = await browser.get(back);
      expect([name, answer.code, browser.session]).toEqual([name, code, undefined]);
      expect(answer.text).not.toContain("<script");
    }
  });

  test("a response of one provider does not complete a sign-in at another", async () => {
    const world = await start();
    const wanted = { kind: "oidc", label: "Second", issuer: world.idp.issuer, client_id: "another-client" };
    const { body } = await world.call("single_sign_on/create", wanted, { as: world.owner });
    const browser = world.browser();
    const first = await browser.get(`/sso/start?provider=${world.providerId}`);
    const second = await browser.get(`/sso/start?provider=${body.provider_id}`);
    const back = world.idp.agree(first.location ?? "");
    back.searchParams.set("state", new URL(second.location ?? "").searchParams.get("state") ?? "");
    expect((await browser.get(back)).code).toBe("sso_answer_refused");
  });

  const elsewhere = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/sso/start",
    "/a/../../b",
    "\\evil",
    "/x y",
  ];

  test("it redirects to our own pages only", async () => {
    const world = await start();
    for (const next of elsewhere) {
      const query = `provider=${world.providerId}&next=${encodeURIComponent(next)}`;
      const { location } = await world.signIn(world.browser(), query);
      const isPlain = location !== null && new URL(location, "http://us.test").origin === "http://us.test";
      expect([next, isPlain, location === next]).toEqual([next, true, false]);
    }
  });

  const badMetadata: [name: string, metadata: Record<string, unknown>][] = [
    ["another issuer", { issuer: "https://attacker.invalid" }],
    ["keys in a private network", { jwks_uri: "http://10.0.0.1/jwks" }],
    ["a token address in a private network", { token_endpoint: "https://127.0.0.1:1/token" }],
    ["a page without TLS", { authorization_endpoint: "http://attacker.invalid/" }],
    ["no keys", { jwks_uri: undefined }],
    ["no safe signature", { id_token_signing_alg_values_supported: ["HS256", "none"] }],
    ["no S256", { code_challenge_methods_supported: ["plain"] }],
  ];

  test("a provider with invalid metadata is not used, and testing it says why", async () => {
    const world = await startSsoWorld("sqlite");
    for (const [name, metadata] of badMetadata) {
      world.idp.metadata = metadata;
      const answer = await world.signIn();
      expect([name, answer.status, answer.code]).toEqual([name, 502, "provider_unreachable"]);
      const { body } = await world.call(`single_sign_on/${world.providerId}/test`, {}, { as: world.owner });
      const found = { name: "discovery", ok: false, detail: expect.any(String) };
      expect([name, body.ok, body.checks.at(-1)]).toEqual([name, false, found]);
    }
  });

  test("a provider in a private network is refused, unless the operator lists it", async () => {
    const world = await startSsoWorld("sqlite");
    for (const issuer of [
      "http://127.0.0.1:9/",
      "https://10.1.2.3",
      "https://[::1]",
      "https://169.254.169.254/latest",
      "https://localhost",
      "http://idp.example.com",
      "https://user:pass@idp.example.com",
      "https://idp.example.com?x=1",
      "ftp://idp.example.com",
      "https://login.microsoftonline.com/common/v2.0",
      "https://login.microsoftonline.com/{tenantid}/v2.0",
    ]) {
      const wanted = { kind: "oidc", label: "x", issuer, client_id: "x" };
      const { status, body } = await world.call("single_sign_on/create", wanted, { as: world.owner });
      expect([issuer, status, body.errors?.[0]?.pointer]).toEqual([issuer, 422, "#/issuer"]);
      const isPrivate = /127\.0\.0\.1|10\.1|::1|169\.254|localhost/.test(issuer);
      // Only the operator can allow it, so the problem says how.
      if (isPrivate) expect(body.errors[0].detail).toContain("SIGNALBOX_PRIVATE_HOSTS_IDENTITY");
    }
  });

  test("neither logs nor responses contain the client's secret, a code, a state or a token", async () => {
    const world = await start();
    const browser = world.browser();
    const { location } = await browser.get(`/sso/start?provider=${world.providerId}`);
    const back = world.idp.agree(location ?? "");
    await browser.get(back);
    const { text } = await world.call(`single_sign_on/${world.providerId}/get`, {}, { as: world.owner });
    const shown = [...world.logged, text].join("\n");
    for (const secret of [
      world.idp.clientSecret,
      back.searchParams.get("code") ?? "",
      back.searchParams.get("state") ?? "",
      browser.session ?? "",
      ...browser.cookies.values(),
    ]) {
      expect(shown).not.toContain(secret);
    }
    const [row] = await world.store.query<{ sealed: string; settings: string }>("select * from sso_providers");
    expect(`${row?.sealed} ${row?.settings}`).not.toContain(world.idp.clientSecret);
  });
});
