import { expect } from "vitest";
import type { TestAnswer, TestApp } from "../../support/app.ts";
import { givePassword, goodPassword, knownIn, sessionIn } from "../../support/sign-in/sign-in.ts";
import type { Team } from "../../support/team.ts";

export const home = "198.51.100.1";
export const elsewhere = "198.51.100.99";
export const another = "the kettle sings on the second floor";

export const tryIn = (
  app: TestApp,
  email: string,
  password: string,
  { from = elsewhere, cookie, code }: { from?: string; cookie?: string; code?: string } = {},
): Promise<TestAnswer> =>
  app.call(
    "auth/sign_in/password",
    { email, password, ...(code === undefined ? {} : { code }) },
    { from, ...(cookie === undefined ? {} : { headers: { cookie } }) },
  );

/** So many wrong passwords for the address, from so many networks in turn. Answers how many were looked at. */
export async function attack(app: TestApp, email: string, count: number, networks: number): Promise<number> {
  let looked = 0;
  for (let done = 0; done < count; done += 50) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(50, count - done) }, (_, index) =>
        tryIn(app, email, `guess ${done + index}`, {
          from: `203.0.${((done + index) % networks) >> 8}.${((done + index) % networks) & 255}`,
        }),
      ),
    );
    for (const { body } of answers) {
      expect(["sign_in_failed", "rate_limited"]).toContain(body.code);
      if (body.code === "sign_in_failed") looked++;
    }
  }
  return looked;
}

/** Wrong passwords from one address until it has to wait for more than a minute: longer than this test takes. */
export async function wearOut(app: TestApp, email: string, from: string): Promise<void> {
  for (;;) {
    const { body, headers } = await tryIn(app, email, "a guess", { from });
    const wait = Number(headers["retry-after"]);
    if (wait > 60) return;
    if (body.code === "rate_limited") app.advance(wait);
  }
}

/** The owner has a password, and has signed in with it at home; answers what their browser keeps. */
export async function ownerAtHome(team: Team): Promise<{ cookie: string; session: string | null }> {
  await givePassword(team, team.owner);
  const answer = await tryIn(team, team.owner.email, goodPassword, { from: home });
  expect(answer.status).toBe(200);
  return { cookie: knownIn(answer), session: sessionIn(answer) };
}
