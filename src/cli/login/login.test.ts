import { publicEncrypt } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "../../../test/support/processes/command-line.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";

test("login keeps a key that works, in a file for its owner alone; whoami, logout and variables use it", async () => {
  const { team, baseUrl, folder } = await startServedTeam();
  const home = { XDG_CONFIG_HOME: folder };
  const login = (key: string, ...more: string[]) =>
    commandLine(["login", "--base-url", baseUrl, "--project", team.projectId, ...more], home, { input: `${key}\n` });
  const wrong = await login("sbk_us_1234567890");
  expect([wrong.code, wrong.stdout]).toEqual([3, ""]);
  expect((await login("hello")).code).toBe(2);
  const file = join(folder, "signalbox", "profiles.json");
  expect(existsSync(file)).toBe(false);

  const done = await login(team.owner.apiKey, "--json");
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([
    0,
    { profile: "default", region: "us", email: "owner@example.com", project_id: team.projectId, file },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(team.owner.apiKey);
  const who = await commandLine(["whoami"], home);
  expect([who.code, who.stdout]).toEqual([0, expect.stringMatching(/^email +owner@example\.com\n/)]);
  for (const { stdout, stderr } of [wrong, done, who]) expect(stdout + stderr).not.toContain(team.owner.apiKey);
  expect((await commandLine(["projects", "list", "--json"], home)).stdout).toContain(team.projectId);

  // "SIGNALBOX_API_KEY, SIGNALBOX_BASE_URL and SIGNALBOX_PROJECT win over the profile."
  const colleague = await team.colleague("ada", "viewer");
  const asAda = await commandLine(["whoami", "--json"], { ...home, SIGNALBOX_API_KEY: colleague.apiKey });
  expect(JSON.parse(asAda.stdout).user.email).toBe("ada@example.com");
  expect((await commandLine(["whoami"], { ...home, SIGNALBOX_BASE_URL: "http://127.0.0.1:1" })).code).toBe(4);
  expect((await commandLine(["users", "list"], { ...home, SIGNALBOX_PROJECT: "prj_us_none" })).code).toBe(3);

  // "Several profiles and regions."
  expect((await login(colleague.apiKey, "--profile", "ada")).code).toBe(0);
  const second = await commandLine(["whoami", "--profile", "ada", "--json"], home);
  expect(JSON.parse(second.stdout).user.email).toBe("ada@example.com");
  const elsewhere = await commandLine(["whoami", "--profile", "ada", "--region", "eu"], home);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    2,
    expect.stringMatching(/no login of the profile "ada" in the region eu/),
  ]);
  expect((await commandLine(["logout", "--profile", "ada", "--revoke"], home)).code).toBe(0);
  const revoked = await commandLine(["whoami"], { ...home, SIGNALBOX_API_KEY: colleague.apiKey });
  expect(revoked.stderr).toMatch(/\(credentials_invalid\)|\(key_revoked\)/);
  expect((await commandLine(["logout"], home)).stdout).toBe("Logged out: profile default, region us.\n");
  expect(existsSync(file)).toBe(false);
});

test("login without a key and without a terminal says at once what to do", async () => {
  const refused = await commandLine(["login", "--base-url", "http://127.0.0.1:4100"]);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toMatch(/^signalbox: There is no key on standard input[\s\S]*< key\.txt[\s\S]*--no-browser/);
});

test("login by the browser takes a key once, encrypted for this command, and only with its own state", async () => {
  const { team, baseUrl, folder } = await startServedTeam();
  const tries: number[] = [];
  let confirmed: Promise<string> | undefined;
  /** What the page does once a person has confirmed. */
  async function confirm(address: string): Promise<string> {
    const page = new URL(address);
    const asked = new URLSearchParams(page.hash.slice(1));
    expect((await fetch(`${baseUrl}${page.pathname}`)).status).toBe(200);
    const key = { key: Buffer.from(asked.get("public_key") ?? "", "base64url"), format: "der", type: "spki" } as const;
    const sealed = publicEncrypt({ ...key, oaepHash: "sha256" }, Buffer.from(team.owner.apiKey)).toString("base64url");
    const callback = `http://127.0.0.1:${page.searchParams.get("port")}/callback`;
    tries.push((await fetch(`${callback}?state=guessed&key=${sealed}`)).status);
    const query = new URLSearchParams({ state: asked.get("state") ?? "", key: sealed, project: team.projectId });
    const answer = await fetch(`${callback}?${query}`);
    return answer.text();
  }
  const done = await commandLine(
    ["login", "--base-url", baseUrl, "--no-browser", "--json"],
    { XDG_CONFIG_HOME: folder },
    {
      onError: (text) => {
        const [address] = /http\S+\/cli-login\S+/.exec(text) ?? [];
        if (address && text.endsWith("\n")) confirmed ??= confirm(address);
      },
    },
  );
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { project_id: team.projectId }]);
  expect(await confirmed).toBe("You are logged in. You can close this page.");
  expect(tries).toEqual([404]);
  expect(done.stdout + done.stderr).not.toContain(team.owner.apiKey);
});
