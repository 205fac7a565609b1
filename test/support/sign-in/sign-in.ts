import { hash } from "@node-rs/argon2";
import { expect } from "vitest";
import { openMail } from "../../../src/access/mails/mail-queue.ts";
import { setPassword } from "../../../src/identity/passwords/passwords.ts";
import { codeAt, stepAt } from "../../../src/identity/second-factor/totp.ts";
import { type CallOptions, type TestAnswer, type TestApp, type TestPerson, testSeal } from "../app.ts";
import { type Authenticator, createAuthenticator } from "./authenticator.ts";

/** Signs in like a browser, without one. */

export const goodPassword = "the lamp stands on the third shelf";
export const ownOrigin = "http://us.test";

const hashes = new Map<string, Promise<string>>();

/** Hashing is slow on purpose, and comparing takes as long as the hash says: these say that it is quick. */
const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 };

export async function givePassword(
  app: TestApp,
  { userId }: Pick<TestPerson, "userId">,
  password = goodPassword,
): Promise<void> {
  const hashed = hashes.get(password) ?? hash(password, cheap);
  hashes.set(password, hashed);
  const wanted = { hash: await hashed };
  await app.store.transaction((db) => setPassword(db, userId, wanted, app.now()));
}

/** The session token that a response sets, or null. */
export function sessionIn(answer: TestAnswer): string | null {
  const header = answer.headers["set-cookie"];
  if (header === undefined) return null;
  return /^__Host-sb_session_us=([0-9A-Za-z]*);/.exec(String([header].flat()[0]))?.[1] ?? null;
}

/** The known-browser cookie of a response, to send as `cookie`; empty without one. */
export function knownIn(answer: TestAnswer): string {
  const cookies = [answer.headers["set-cookie"] ?? []].flat().map(String);
  return cookies.find((each) => /^__Host-sb_known_[a-z]+=/.test(each))?.split(";")[0] ?? "";
}

/** Call options with this session, like a call of our own pages. */
export const withSession = (token: string | null): CallOptions => ({
  headers: { cookie: `__Host-sb_session_us=${token}`, origin: ownOrigin },
});

/** Signs in with the password and returns the session token. */
export async function signIn(app: TestApp, person: TestPerson, password = goodPassword): Promise<string> {
  const answer = await app.call("auth/sign_in/password", { email: person.email, password });
  const token = sessionIn(answer);
  if (answer.status !== 200 || token === null) throw new Error(`Not signed in: ${answer.text}`);
  return token;
}

const stepSeconds = 30;

export const codeNow = (app: TestApp, secret: string, stepsAhead = 0): string =>
  codeAt(secret, stepAt(app.now()) + stepsAhead);

/** Sets up one-time codes for the caller of these options; returns the secret and the recovery codes. */
export async function addCodes(
  app: TestApp,
  as: CallOptions,
): Promise<{ secret: string; recoveryCodes: string[]; confirmed: TestAnswer }> {
  const begun = await app.call("auth/codes/begin", {}, as);
  expect(begun.status).toBe(200);
  const { secret } = begun.body;
  // A time step begins: the codes of this test last, however slow the machine is.
  // Not at its very first millisecond: a rounded number could fall before it.
  app.advance(stepSeconds + 1 - ((app.now().getTime() / 1000) % stepSeconds));
  // The previous time step is accepted too, and leaves the current one for the test.
  const confirmed = await app.call("auth/codes/confirm", { code: codeNow(app, secret, -1) }, as);
  expect(confirmed.status).toBe(200);
  return { secret, recoveryCodes: confirmed.body.recovery_codes, confirmed };
}

export async function addPasskey(
  app: TestApp,
  as: CallOptions,
): Promise<{ authenticator: Authenticator; passkeyId: string; finished: TestAnswer }> {
  const authenticator = createAuthenticator();
  const begun = await app.call("auth/passkeys/begin", {}, as);
  expect(begun.status).toBe(200);
  const response = authenticator.create(begun.body.options);
  const finished = await app.call("auth/passkeys/finish", { response, label: "A laptop" }, as);
  expect([finished.status, finished.text]).toEqual([200, expect.any(String)]);
  return { authenticator, passkeyId: finished.body.passkey_id, finished };
}

export async function signInWithPasskey(
  app: TestApp,
  authenticator: Authenticator,
  changes: Parameters<Authenticator["get"]>[1] = {},
): Promise<TestAnswer> {
  const { body } = await app.call("auth/sign_in/passkey/begin", {});
  return app.call("auth/sign_in/passkey/finish", { response: authenticator.get(body.options, changes) });
}

export interface TestMail {
  recipient: string;
  kind: string;
  details: Record<string, string>;
}

/** The mails in the queue, oldest first. */
export async function mailsIn(app: TestApp, kind?: string): Promise<TestMail[]> {
  const rows = await app.store.query<Parameters<typeof openMail>[0]>(
    "select id, recipient, kind, details as sealed, attempts from mails order by id",
  );
  return rows
    .map((row) => openMail(row, testSeal))
    .map((mail) => ({ ...mail, details: mail.details as Record<string, string> }))
    .filter((mail) => kind === undefined || mail.kind === kind);
}

/** The last mail of this kind. */
export async function lastMail(app: TestApp, kind: string): Promise<TestMail> {
  const mail = (await mailsIn(app, kind)).at(-1);
  if (!mail) throw new Error(`There is no mail of the kind ${kind}.`);
  return mail;
}
