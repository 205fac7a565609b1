import "./alone.ts";
import { DatabaseSync } from "node:sqlite";
import { apiKey } from "@better-auth/api-key";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { organization } from "better-auth/plugins";

/**
 * better-auth as its manual sets it up on SQLite: a plain `new DatabaseSync(file)`. SQLite's own defaults stay, a
 * rollback journal with synchronous=full: like Signalbox it answers after the fsync. `journal` may be `wal` for those
 * who think of that. Telemetry is off, both of its rate limits are off, and it sends no mail.
 */
export async function openAuth(file: string, journal: string, baseURL: string) {
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = ${journal}`);
  const options = {
    database,
    baseURL,
    secret: "a secret of thirty-two characters or more, for counting only",
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    plugins: [organization(), apiKey({ rateLimit: { enabled: false } })],
  } satisfies BetterAuthOptions;
  const { runMigrations } = await getMigrations(options);
  await runMigrations();
  return { auth: betterAuth(options), database };
}

type Auth = Awaited<ReturnType<typeof openAuth>>["auth"];

/** A person made through better-auth's own store: the sign-up would stretch a password for each, for nothing here. */
export async function makePerson(auth: Auth, number: number): Promise<{ userId: string; token: string }> {
  const { internalAdapter } = await auth.$context;
  const user = await internalAdapter.createUser({ email: `owner${number}@example.com`, name: `Owner ${number}` });
  const session = await internalAdapter.createSession(user.id);
  return { userId: user.id, token: session.token };
}
