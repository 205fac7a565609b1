import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, inject, test } from "vitest";
import { type Finished, installedProgram, signalbox } from "../../test/support/processes/command.ts";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../../test/support/stores.ts";
import { knownMigrations, migrate } from "../store/migrate.ts";
import { openPostgres } from "../store/postgres/postgres.ts";
import { oldestBeside } from "../store/previous-version.ts";

/** Each command is the real one, on a data folder of its own. */

const inFolder = (home: string) => ({
  us: (...args: string[]): Promise<Finished> => commandLine([...args, "--region", "us", "--home", home]),
});

/** The one line of JSON of a command that succeeded. "Print which store they used": on standard error. */
function jsonOf({ code, stdout, stderr }: Finished) {
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(store: (SQLite|PostgreSQL), .*\n)*$/) });
  return JSON.parse(stdout);
}

async function create(home: string, email: string, ...more: string[]) {
  return jsonOf(await inFolder(home).us("users", "create", "--email", email, "--json", ...more));
}

describe("signalbox users", () => {
  test("create makes an account with an organization of its own, or in the one that is named", async () => {
    const home = temporaryFolder();
    const where = ["--region", "us", "--home", home];
    const args = ["users", "create", ...where, "--email", "ada@example.com", "--json"];
    const made = await signalbox(args, {}, installedProgram);
    expect(made.stderr).toBe(`store: SQLite, ${join(home, "us.sqlite")} (created)\n`);
    const ada = jsonOf(made);
    expect(ada).toEqual({
      user_id: expect.stringMatching(/^usr_us_/),
      organization_id: expect.stringMatching(/^org_us_/),
      api_key: expect.stringMatching(/^sbk_us_[0-9A-Za-z]{49}$/),
    });
    const bob = await create(home, "bob@example.com", "--organization", ada.organization_id);
    expect(bob.organization_id).toBe(ada.organization_id);
    expect(bob.user_id).not.toBe(ada.user_id);
    // Databases are for their owner's eyes alone.
    const modes = readdirSync(home).map((name) => statSync(join(home, name)).mode & 0o077);
    expect(modes.length).toBeGreaterThan(0);
    expect(modes.every((mode) => mode === 0)).toBe(true);
  });

  test("without --json the answer is a table for people", async () => {
    const { code, stdout } = await inFolder(temporaryFolder()).us("users", "create", "--email", "ada@example.com");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^user_id {10}usr_us_\w+\norganization_id {2}org_us_\w+\napi_key {10}sbk_us_\w+\n$/);
  });

  test("deactivate and reactivate say what they did", async () => {
    const home = temporaryFolder();
    const { us } = inFolder(home);
    const ada = await create(home, "ada@example.com");
    const off = jsonOf(await us("users", "deactivate", "--email", "ADA@example.com", "--json"));
    expect(off).toEqual({
      user_id: ada.user_id,
      organization_id: ada.organization_id,
      active: false,
      keys_deactivated: 1,
      sessions_ended: 0,
      invites_withdrawn: 0,
      projects_without_active_admin: [],
    });
    const on = jsonOf(await us("users", "reactivate", "--user", ada.user_id, "--json"));
    expect(on).toMatchObject({ user_id: ada.user_id, active: true, keys_restored: 0 });
    expect(on.api_key).toMatch(/^sbk_us_/);
    expect(on.api_key).not.toBe(ada.api_key);
    const table = await us("users", "deactivate", "--user", ada.user_id);
    expect(table.stdout).toMatch(/^active +false$/m);
  });

  test("set-role makes an owner when the last one is gone", async () => {
    const home = temporaryFolder();
    const { us } = inFolder(home);
    const ada = await create(home, "ada@example.com");
    const bob = await create(home, "bob@example.com", "--organization", ada.organization_id);
    const made = jsonOf(await us("users", "set-role", "--email", "bob@example.com", "--role", "owner", "--json"));
    expect(made).toEqual({
      user_id: bob.user_id,
      organization_id: ada.organization_id,
      organization_role: "owner",
    });
    const refused = await us("users", "set-role", "--email", "bob@example.com", "--role", "king");
    expect(refused.code).not.toBe(0);
  });
});

describe("signalbox keys", () => {
  test("create prints a key once, list never, revoke ends it once", async () => {
    const home = temporaryFolder();
    const { us } = inFolder(home);
    const ada = await create(home, "ada@example.com");
    const made = jsonOf(await us("keys", "create", "--email", "ada@example.com", "--label", "nightly", "--json"));
    expect(made).toMatchObject({ user_id: ada.user_id, api_key: expect.stringMatching(/^sbk_us_/) });
    const revoked = jsonOf(await us("keys", "revoke", "--key", made.key_id, "--json"));
    expect(revoked).toEqual({ key_id: made.key_id, revoked: true });
    const again = await us("keys", "revoke", "--key", made.key_id);
    const list = await us("keys", "list", "--email", "ada@example.com", "--json");
    const table = await us("keys", "list", "--email", "ada@example.com");
    expect([again.code, again.stdout]).toEqual([3, ""]);
    expect(again.stderr).toContain("(key_already_revoked)");
    const { results } = jsonOf(list);
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({ key_id: made.key_id, label: "nightly", revoked_at: expect.any(String) });
    expect(table.stdout).toMatch(/^key_id +label +hint/);
    for (const text of [list.stdout, table.stdout]) expect(text).not.toContain("sbk_us_");
  });
});

describe("signalbox audit verify", () => {
  test("a whole chain is valid, and a changed row is found with exit code 1", async () => {
    const home = temporaryFolder();
    const { us } = inFolder(home);
    const ada = await create(home, "ada@example.com");
    await create(home, "bob@example.com", "--organization", ada.organization_id);
    const whole = jsonOf(await us("audit", "verify", "--json"));
    expect(whole.results).toEqual([
      expect.objectContaining({ organization_id: ada.organization_id, valid: true, rows: 2, broken_at: null }),
    ]);

    const database = new DatabaseSync(join(home, "us.sqlite"));
    const change = "update audit_log set details = '{}' where seq = 2";
    // "Append-only table, trigger forbids UPDATE/DELETE": only who takes the trigger away can change a row.
    expect(() => database.exec(change)).toThrow("append-only");
    database.exec(`drop trigger audit_log_no_update; ${change}`);
    database.close();
    // "the command line: … `audit verify`": without a region it looks at all.
    const all = ["audit", "verify", "--home", home];
    const [json, table] = [await commandLine([...all, "--json"]), await commandLine(all)];
    expect([json.code, table.code]).toEqual([1, 1]);
    expect(JSON.parse(json.stdout).results).toEqual([expect.objectContaining({ valid: false, broken_at: 2 })]);
    expect(table.stdout).toMatch(/false/);
  });
});

describe("signalbox doctor", () => {
  test("looks at settings, Node, stores and ports, and makes nothing", async () => {
    const home = join(temporaryFolder(), "not-there-yet");
    const { results } = jsonOf(await commandLine(["doctor", "--home", home, "--json"]));
    const names = results.map((finding: { what: string }) => finding.what);
    expect(names).toEqual(
      expect.arrayContaining(["settings", "node", "master key", "store us", "store eu", "store au"]),
    );
    expect(results.every((finding: { ok: boolean }) => finding.ok)).toBe(true);
    expect(existsSync(home)).toBe(false);
  });

  test("a store that cannot be opened is found with exit code 1", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "us.sqlite"), "this is no database, and long enough to be looked at as one".repeat(20));
    const { code, stdout } = await commandLine(["doctor", "--home", home]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG store us: .*not a database/m);
    expect(stdout).toMatch(/^ok +store eu: /m);
  });
});

describe("signalbox migrate", () => {
  test("brings the named regions up to date, and refuses a newer schema", async () => {
    const home = temporaryFolder();
    const migrate = () => commandLine(["migrate", "--home", home, "--regions", "eu"]);
    const { code, stdout } = await migrate();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^eu: up to date \(\d{4}_\w+\.sql\)\n$/)]);
    expect(readdirSync(home).filter((name) => name.endsWith(".sqlite"))).toEqual(["eu.sqlite"]);
    const database = new DatabaseSync(join(home, "eu.sqlite"));
    database.exec("insert into schema_migrations values (9999, '9999_future.sql', '2999-01-01')");
    database.close();
    const refused = await migrate();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/signalbox: The database is at schema 9999/);
  });

  test.skipIf(inject("postgresUrl") === null)(
    "says on PostgreSQL which index it builds, which may take hours",
    async () => {
      const upgrade = async (...more: string[]) => {
        const url = await newPostgresDatabase("template0");
        const store = openPostgres(url, 1);
        cleanUpLater(() => store.close());
        const previous = knownMigrations().filter(({ number }) => number <= oldestBeside);
        await migrate(store, new Date(), previous);
        return commandLine(["migrate", "--regions", "us", ...more], { SIGNALBOX_DATABASE_URL_US: url });
      };
      const { code, stderr } = await upgrade();
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^us: building the index \w+ of \w+, beside those who use it$/m),
      ]);
      expect(jsonOf(await upgrade("--json")).results).toHaveLength(1);
    },
  );
});

describe("a refusal is a sentence with an exit code", () => {
  const home = "/dev/null/nowhere";
  const createArgs = ["users", "create", "--region", "us", "--email"];
  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    ["an unknown command", ["fly"], {}, 2, /unknown command 'fly'/],
    ["a missing option", ["users", "create", "--region", "us"], {}, 2, /required option '--email <address>'/],
    ["no such region", ["audit", "verify", "--region", "mars"], {}, 2, /Allowed choices are us, eu, au/],
    ["no address", [...createArgs, "nobody"], {}, 2, /^signalbox: "nobody" is not an address/],
    [
      "an unknown setting",
      ["migrate"],
      { SIGNALBOX_DATABASE_URL: "postgres://db" },
      2,
      /^signalbox: There is no setting SIGNALBOX_DATABASE_URL\. Did you mean SIGNALBOX_DATABASE_URL_US, SIGNALBOX_DATABASE_URL_EU or SIGNALBOX_DATABASE_URL_AU\?\n$/,
    ],
    [
      "a misspelt setting, of a command that calls",
      ["runs", "list"],
      { SIGNALBOX_APIKEY: "x" },
      2,
      /^signalbox: There is no setting SIGNALBOX_APIKEY\. Did you mean SIGNALBOX_API_KEY\?\n$/,
    ],
    [
      "no region",
      ["users", "create", "--email", "a@example.com"],
      {},
      2,
      /^signalbox: Which region\? Name it with --region/,
    ],
    ["no account named", ["users", "deactivate", "--region", "us"], {}, 2, /Name the account with --email or --user/],
    [
      "a wrong setting",
      ["migrate"],
      { SIGNALBOX_PORT: "x" },
      2,
      /^signalbox: SIGNALBOX_PORT \(or --port\) cannot be used/,
    ],
    ["a folder that cannot be", ["migrate", "--home", home], {}, 2, /^signalbox: The data folder .* cannot be used: /],
  ])("%s", async (_, args, environment, code, sentence) => {
    const folder = temporaryFolder();
    const finished = await commandLine(args, { SIGNALBOX_HOME: folder, ...environment });
    expect(finished.stderr).toMatch(sentence);
    expect([finished.code, finished.stdout]).toEqual([code, ""]);
    expect(finished.stderr).not.toMatch(/\n {4}at /);
  });

  test("an account or organization that is not there", async () => {
    const { us } = inFolder(temporaryFolder());
    const organization = await us("users", "create", "--email", "a@example.com", "--organization", "org_us_none");
    const account = await us("users", "deactivate", "--email", "nobody@example.com");
    expect([account.code, organization.code]).toEqual([3, 3]);
    expect(account.stderr).toMatch(/No such account in the region us\. \(user_not_found\)\n {2}\S/);
    expect(organization.stderr).toMatch(/No organization org_us_none in the region us/);
  });

  test.skipIf(inject("postgresUrl") === null).for([
    ["a database", "pathname", 'database "none" does not exist'],
    ["a role", "username", 'role "none" does not exist'],
  ] as const)("%s that is not there, without its password", async ([, part, why]) => {
    const url = new URL(inject("postgresUrl") ?? "");
    url.password = "c4n4ry";
    url[part] = "none";
    const finished = await commandLine(["migrate", "--regions", "us"], { SIGNALBOX_DATABASE_URL_US: url.href });
    expect(finished.code).toBe(2);
    expect(finished.stderr).toMatch(new RegExp(`^signalbox: SIGNALBOX_DATABASE_URL_US cannot be used: ${why}`));
    expect(finished.stderr).not.toContain("c4n4ry");
  });

  // "A node that starts when the first host is the replica goes on to the next instead of ending with a stack."
  test.skipIf(inject("postgresUrl") === null)("a database that accepts no writes", async () => {
    const url = await newPostgresDatabase();
    const operator = openPostgres(url, 1);
    await operator.query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    await operator.close();
    const finished = await commandLine(["migrate", "--regions", "us"], { SIGNALBOX_DATABASE_URL_US: url });
    expect([finished.code, finished.stdout]).toEqual([4, ""]);
    expect(finished.stderr).toMatch(/^signalbox: The store accepts no writes\. .* read-only transaction\n$/);
  });
});
