import { createHmac, createSecretKey, generateKeyPairSync } from "node:crypto";
import { CompactSign } from "jose";
import { expect, test } from "vitest";
import { signed, type Token, type WriteToken } from "../../../../test/support/sign-in/scripted-provider.ts";
import { type SsoWorld, startSsoWorld } from "../../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores } from "../../../../test/support/stores.ts";

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const attacker = generateKeyPairSync("rsa", { modulusLength: 2048 });
const soon = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** A validly signed token with these changes; `undefined` omits a claim. */
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
  ["issued in an hour", () => but({ iat: soon(3600), exp: soon(7200) })],
  ["issued in two minutes, beyond what clocks may differ", () => but({ iat: soon(120) })],
  ["a sign-in that is yet to come", () => but({ auth_time: soon(3600) })],
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

describeOnBothStores("invalid ID tokens", (kind) => {
  test(`${badTokens.length} tokens are refused, open no session, link no account, and add an audit row`, async () => {
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
    // The same provider with a valid token.
    world.idp.write = signed;
    expect((await world.signIn()).status).toBe(303);
  });
});
