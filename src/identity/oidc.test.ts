import { createHmac, createSecretKey, generateKeyPairSync } from "node:crypto";
import { CompactSign } from "jose";
import { describe, expect, test } from "vitest";
import { signed, type Token, type WriteToken } from "../../test/support/scripted-provider.ts";
import { type SsoWorld, startSsoWorld } from "../../test/support/sso-world.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const attacker = generateKeyPairSync("rsa", { modulusLength: 2048 });
const soon = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Signed as it should be, with these changes; `undefined` leaves a claim out. */
const but =
  (claims: Record<string, unknown>, header: Record<string, unknown> = {}): WriteToken =>
  (token) =>
    signed({
      ...token,
      header: { ...token.header, ...header },
      claims: JSON.parse(JSON.stringify({ ...token.claims, ...claims })),
    });

const byAttacker =
  (header: Record<string, unknown>): WriteToken =>
  (token) =>
    signed({ ...token, header: { ...token.header, ...header }, key: attacker.privateKey });

const withHmac = async ({ claims }: Token, secret: string): Promise<string> => {
  const body = `${base64url({ alg: "HS256", typ: "JWT", kid: "k1" })}.${base64url(claims)}`;
  return `${body}.${createHmac("sha256", createSecretKey(Buffer.from(secret)))
    .update(body)
    .digest("base64url")}`;
};

/** "JWT: alg allowlist, no jku/x5u, aud, iss, typ: corpus of 20 bad tokens." */
const badTokens: [name: string, write: (world: SsoWorld) => WriteToken][] = [
  [
    "alg none",
    () =>
      ({ claims }) =>
        `${base64url({ alg: "none" })}.${base64url(claims)}.`,
  ],
  [
    "alg none with a signature",
    () => async (token) => `${base64url({ alg: "none" })}.${(await signed(token)).split(".").slice(1).join(".")}`,
  ],
  [
    "HS256 with the public key",
    ({ idp }) =>
      (token) =>
        withHmac(token, idp.publicKey.export({ type: "spki", format: "pem" }).toString()),
  ],
  [
    "HS256 with the client's secret",
    ({ idp }) =>
      (token) =>
        withHmac(token, idp.clientSecret),
  ],
  ["signed with another key", () => byAttacker({})],
  ["signed with a key that the provider does not list", () => byAttacker({ kid: "k2" })],
  ["jku, signed with the key that lies there", () => byAttacker({ jku: "https://attacker.invalid/jwks" })],
  ["jku, signed with the right key", () => but({}, { jku: "https://attacker.invalid/jwks" })],
  ["x5u, signed with the right key", () => but({}, { x5u: "https://attacker.invalid/cert" })],
  ["its own key inside", () => byAttacker({ jwk: attacker.publicKey.export({ format: "jwk" }) })],
  [
    "its own key inside, signed with the right one",
    () => but({}, { jwk: attacker.publicKey.export({ format: "jwk" }) }),
  ],
  [
    "an extension nobody knows",
    () =>
      ({ header, claims, key }) =>
        new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ ...header, alg: "RS256", crit: ["x"], x: 1 })
          .sign(key, { crit: { x: true } }),
  ],
  ["the type of an access token", () => but({}, { typ: "at+jwt" })],
  ["the type of a logout token", () => but({}, { typ: "logout+jwt" })],
  ["another issuer", () => but({ iss: "https://attacker.invalid" })],
  ["no issuer", () => but({ iss: undefined })],
  ["another audience", () => but({ aud: "somebody-else" })],
  ["no audience", () => but({ aud: undefined })],
  ["two audiences and no azp", () => but({ aud: ["signalbox", "somebody-else"] })],
  ["azp of another", () => but({ azp: "somebody-else" })],
  ["another nonce", () => but({ nonce: "x".repeat(43) })],
  ["no nonce", () => but({ nonce: undefined })],
  ["expired", () => but({ exp: soon(-120) })],
  ["no expiry", () => but({ exp: undefined })],
  ["an expiry that is no number", () => but({ exp: "2099-01-01" })],
  ["not valid yet", () => but({ nbf: soon(600) })],
  ["no time of issue", () => but({ iat: undefined })],
  ["no subject", () => but({ sub: undefined })],
  ["a subject that is a number", () => but({ sub: 1 })],
  ["a subject of 300 characters", () => but({ sub: "x".repeat(300) })],
  [
    "changed after it was signed",
    () => async (token) => {
      const [header, , signature] = (await signed(token)).split(".");
      return [header, base64url({ ...token.claims, email: "owner@example.com" }), signature].join(".");
    },
  ],
  ["without a signature", () => async (token) => `${(await signed(token)).split(".").slice(0, 2).join(".")}.`],
  ["two parts", () => async (token) => (await signed(token)).split(".").slice(0, 2).join(".")],
  ["five parts", () => async (token) => `${await signed(token)}.x.y`],
  ["no token at all", () => () => ""],
  [
    "a header that is a list",
    () =>
      ({ claims }) =>
        `${base64url(["alg"])}.${base64url(claims)}.x`,
  ],
];

describeOnBothStores("ID tokens that prove nothing", (kind) => {
  test(`${badTokens.length} bad ones are refused, open no session, link nobody, and leave a row in the audit log`, async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    await world.verify("example.com");
    for (const [name, write] of badTokens) {
      world.idp.write = write(world);
      const answer = await world.signIn();
      expect([name, answer.status, answer.code]).toEqual([name, 403, "sso_answer_refused"]);
      expect([name, answer.browser.session]).toEqual([name, undefined]);
      expect([name, answer.text.includes("eyJ")]).toEqual([name, false]);
    }
    expect([await world.rows("sessions"), await world.rows("identities")]).toEqual([[], []]);
    const refused = (await world.auditActions()).filter((action) => action === "sign_in.refused");
    expect(refused).toHaveLength(badTokens.length);
    expect(world.idp.asked.some((path) => path.includes("attacker"))).toBe(false);
    // The same provider with an honest token.
    world.idp.write = signed;
    expect((await world.signIn()).status).toBe(303);
  });
});

describe("OpenID Connect", () => {
  const start = async () => {
    const world = await startSsoWorld("sqlite");
    await world.verify("example.com");
    await world.colleague("ada");
    return world;
  };

  test("a key that the provider has withdrawn opens nothing", async () => {
    const world = await start();
    world.idp.jwks = [{ ...attacker.publicKey.export({ format: "jwk" }), kid: "k9", use: "sig", alg: "RS256" }];
    expect((await world.signIn()).code).toBe("sso_answer_refused");
  });

  test("keys of an elliptic curve are as good", async () => {
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
    // Swapped: somebody else's answer in this browser would sign its owner in as somebody else.
    expect((await first.get(theirs)).code).toBe("sso_flow_gone");
    expect((await world.browser().get(mine)).code).toBe("sso_flow_gone");
    expect((await first.get(mine)).status).toBe(303);
    expect((await first.get(mine)).code).toBe("sso_flow_gone");
    // The other's sign-in was not used up by whoever tried to.
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

  test("an answer that lacks something, says it twice or says no is refused", async () => {
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

  test("the answer of one provider does not finish what was begun at another", async () => {
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

  test("it leads to no other place than our own pages", async () => {
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

  test("a provider that says something wrong about itself is not used, and testing it says what", async () => {
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
    }
  });

  test("neither logs nor answers hold the client's secret, a code, a state or a token", async () => {
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
