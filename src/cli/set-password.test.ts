import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { temporaryFolder } from "../../test/support/stores.ts";
import { matchesHash } from "../identity/passwords/hash.ts";

describe("signalbox users set-password", () => {
  test("gives a person a password that is printed once and kept as a hash, and ends their sessions", async () => {
    const place = ["--region", "us", "--home", temporaryFolder()];
    const [, , , home = ""] = place;
    const made = await commandLine(["users", "create", "--email", "ada@example.com", "--json", ...place]);
    const ada = JSON.parse(made.stdout);
    const set = await commandLine(["users", "set-password", "--email", "ada@example.com", "--json", ...place]);
    expect([set.code, set.stderr]).toEqual([0, expect.stringMatching(/^store: SQLite, /)]);
    const { password, ...rest } = JSON.parse(set.stdout);
    expect(rest).toEqual({ user_id: ada.user_id, organization_id: ada.organization_id, sessions_ended: 0 });
    const database = new DatabaseSync(join(home, "us.sqlite"));
    const row = database.prepare("select hash from passwords where user_id = ?").get(ada.user_id);
    const audit = database.prepare("select action, actor_kind, details from audit_log order by seq desc").get();
    database.close();
    expect(await matchesHash(password, String(row?.hash), "operator")).toBe(true);
    expect(audit).toMatchObject({ action: "password.set", actor_kind: "operator", details: '{"sessions_ended":0}' });
  });

  test("names an account whose password it cannot set", async () => {
    const place = ["--region", "us", "--home", temporaryFolder()];
    await commandLine(["migrate", ...place]);
    const nobody = await commandLine(["users", "set-password", "--generate", ...place]);
    expect([nobody.code, nobody.stderr]).toEqual([2, "signalbox: Name the account with --email or --user.\n"]);
    const unknown = await commandLine(["users", "set-password", "--email", "ada@example.com", "--generate", ...place]);
    expect([unknown.code, unknown.stdout]).toEqual([3, ""]);
    expect(unknown.stderr).toContain("user_not_found");
  });
});
