import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import {
  installedProgram,
  post,
  type RunningCommand,
  signalbox,
  startCommand,
} from "../../../test/support/processes/command.ts";
import { freePorts } from "../../../test/support/processes/free-ports.ts";
import { connectTo, readAnswer } from "../../../test/support/processes/raw-http.ts";
import { temporaryFolder } from "../../../test/support/stores.ts";
import type { FirstRun, FirstRunRegion } from "../../start/first-run/first-run.ts";

/** `signalbox serve` as an operator runs it: a process, signals, files, and calls over the network. */

interface Serving {
  home: string;
  port: number;
  server: RunningCommand;
  us: FirstRunRegion;
  firstRun: FirstRun;
}

const running: RunningCommand[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.signal("SIGKILL");
    await server.finished;
  }
});

async function serve(home: string, port: number, regions = "us", program?: string): Promise<Serving> {
  const where = ["--regions", regions, "--port", String(port), "--home", home];
  const server = startCommand(["serve", "--first-run", ...where], {}, program);
  running.push(server);
  await server.printed(/Stop with Ctrl-C\.\n/);
  const firstRun = JSON.parse(readFileSync(join(home, "first-run.json"), "utf8")) as FirstRun;
  return { home, port, server, firstRun, us: firstRun.regions.us as FirstRunRegion };
}

const startServing = async (): Promise<Serving> => serve(temporaryFolder(), await freePorts(1));

const stopped = async ({ server }: Serving): Promise<number | null> => {
  server.signal("SIGTERM");
  return (await server.finished).code;
};

const signInWith = ({ us }: Serving, password: string | undefined) =>
  post(us.base_url, "auth/sign_in/password", "", { email: us.email, password });

const infoWith = ({ us }: Serving, key: string) => post(us.base_url, "auth/info", `Bearer :${key}`);

/** The greeting is for the person at the machine, and the one place where a key is printed. */
const logLines = (output: string): string[] =>
  output
    .replace(/^Signalbox is ready[\s\S]*?Stop with Ctrl-C\.\n/m, "")
    .split("\n")
    .filter((line) => line.trim() !== "");

// "`own` (the default under `npm start` …), `off`, or the base address of ones already running."
test.each([
  [undefined, "own"],
  ["off", "off"],
  ["http://127.0.0.1:4111", "http://127.0.0.1:4111"],
])("npm start with SIGNALBOX_SANDBOXES %s starts with %s", (set, expected) => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };
  const [settings, command] = scripts.start.split(" exec ");
  expect(command).not.toContain("--sandboxes");
  const { SIGNALBOX_SANDBOXES: _, ...environment } = process.env;
  const env = { ...environment, ...(set === undefined ? {} : { SIGNALBOX_SANDBOXES: set }) };
  const script = `${settings} exec sh -c 'printf %s "$SIGNALBOX_SANDBOXES"'`;
  expect(execFileSync("sh", ["-c", script], { env, encoding: "utf8" })).toBe(expected);
});

describe("signalbox serve --first-run", () => {
  test("is ready when it says so, and what it prints works when pasted", async () => {
    const serving = await serve(temporaryFolder(), await freePorts(1), "us", installedProgram);
    // "The start banner names the store of each region."
    expect(serving.server.output()).toContain(`   SQLite, ${join(serving.home, "us.sqlite")}\n`);
    const { us, home, server } = serving;
    const ready = await fetch(`${us.base_url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", region: "us" }]);

    expect(statSync(join(home, "first-run.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "master.key")).mode & 0o777).toBe(0o600);
    expect(us).toEqual({
      base_url: `http://127.0.0.1:${serving.port}`,
      organization_id: expect.stringMatching(/^org_us_/),
      project_id: expect.stringMatching(/^prj_us_/),
      user_id: expect.stringMatching(/^usr_us_/),
      email: "owner@example.com",
      password: expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/),
      api_key: expect.stringMatching(/^sbk_us_/),
      scim_token: expect.stringMatching(/^sbs_us_/),
    });

    const [curl = ""] = /^ +curl [\s\S]*?(?<!\\)$/m.exec(server.output()) ?? [];
    const headers = [...curl.matchAll(/ -H '([^']+): ([^']+)'/g)].map(([, name = "", value = ""]) => [name, value]);
    const url = / (http:\S+)/.exec(curl)?.[1] ?? "no address in the greeting";
    const body = / -d '([^']+)'/.exec(curl)?.[1] ?? "no body in the greeting";
    const answer = await fetch(url, { method: "POST", headers: Object.fromEntries(headers), body });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ user_id: us.user_id, organization_id: us.organization_id }),
    ]);
    expect(server.output()).toContain(`http://localhost:${serving.port}/sign-in?next=/\n`);
    expect(server.output()).toContain(`${us.email}   ${us.password}\n`);
    expect((await signInWith(serving, us.password)).body.user_id).toBe(us.user_id);
    const admin = await post(us.base_url, "auth/invite/list", `Bearer ${us.project_id}:${us.api_key}`);
    expect(admin.status).toBe(200);
  });

  test("commands beside the running server hold for its very next call", async () => {
    const serving = await startServing();
    const command = async (...args: string[]) =>
      JSON.parse((await signalbox([...args, "--region", "us", "--home", serving.home, "--json"])).stdout);
    const made = await command("users", "create", "--email", "bob@example.com");
    expect((await infoWith(serving, made.api_key)).body).toMatchObject({ user_id: made.user_id });

    await command("users", "deactivate", "--email", "bob@example.com");
    // "that user's accounts and API keys are deactivated immediately."
    const refused = await infoWith(serving, made.api_key);
    expect([refused.status, refused.body.code]).toEqual([401, "owner_deactivated"]);

    const back = await command("users", "reactivate", "--email", "bob@example.com");
    expect((await infoWith(serving, back.api_key)).status).toBe(200);
    expect((await infoWith(serving, made.api_key)).body.code).toBe("owner_deactivated");
  });

  test("SIGTERM finishes the call it has accepted, and the exit code is 0", async () => {
    const { us, port, server } = await startServing();
    const body = JSON.stringify({ name: "Last", description: "", organization_id: us.organization_id });
    const client = await connectTo(port);
    client.send(
      `POST /latest/projects/create HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Authorization: Bearer :${us.api_key}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // The server has seen the call and asks for its body: it is accepted.
    const asked = await client.received(/^HTTP\/1\.1 100 .*\r\n\r\n/);
    server.signal("SIGTERM");
    await server.printed(/finishing what was accepted/);
    client.send(body);
    const answer = readAnswer((await client.closed()).slice(asked.length));
    expect([answer.status, answer.body]).toEqual([200, { project_id: expect.stringMatching(/^prj_us_/) }]);
    expect((await server.finished).code).toBe(0);
    await expect(fetch(`${us.base_url}/healthz`)).rejects.toThrow();
  });

  test("a second start keeps the keys, the people and what was made", async () => {
    const first = await startServing();
    const wanted = { name: "Kept", description: "", organization_id: first.us.organization_id };
    const { body } = await post(first.us.base_url, "projects/create", `Bearer :${first.us.api_key}`, wanted);
    const filesBefore = ["first-run.json", "master.key"].map((name) => readFileSync(join(first.home, name), "utf8"));
    expect(await stopped(first)).toBe(0);

    const second = await serve(first.home, first.port);
    const files = ["first-run.json", "master.key"].map((name) => readFileSync(join(first.home, name), "utf8"));
    expect(files).toEqual(filesBefore);
    const list = await post(second.us.base_url, "projects/list", `Bearer :${first.us.api_key}`);
    const names = (list.body.results as { project_id: string }[]).map((project) => project.project_id);
    expect(names.sort()).toEqual([first.us.project_id, body.project_id].sort());
  });

  test("a data folder from before people could sign in gets a password at its next start", async () => {
    const first = await startServing();
    expect(await stopped(first)).toBe(0);
    const database = new DatabaseSync(join(first.home, "us.sqlite"));
    database.exec("delete from passwords");
    database.close();
    const { password: _, ...before } = first.us;
    writeFileSync(join(first.home, "first-run.json"), JSON.stringify({ regions: { us: before } }));

    const second = await serve(first.home, first.port);
    expect(second.us).toEqual({ ...before, password: expect.stringMatching(/^[a-z2-9-]{23}$/) });
    expect((await signInWith(second, second.us.password)).status).toBe(200);
    expect((await signInWith(second, first.us.password)).body.code).toBe("sign_in_failed");
  });

  test("the log contains no secret, and every line of it is JSON", async () => {
    const serving = await startServing();
    const { us, home, server } = serving;
    const made = await post(us.base_url, "auth/keys/create", `Bearer :${us.api_key}`, { label: "new" });
    await infoWith(serving, String(made.body.api_key));
    await infoWith(serving, `${us.api_key}x`);
    await post(`${us.base_url}`, `nothing?key=${us.api_key}`, `Bearer :${us.api_key}`);
    await post(us.base_url, `auth/users/${us.api_key}/delete`, `Bearer ${us.project_id}:${us.api_key}`);
    await post(us.base_url, "auth/password/forgot", "", { email: us.email });
    const invite = {
      email: "ada@example.com",
      permissions: { items: { platformDefault: { actions: { "role:viewer": true } } } },
    };
    const invited = await post(us.base_url, "auth/invite/create", `Bearer ${us.project_id}:${us.api_key}`, invite);
    expect(await stopped(serving)).toBe(0);
    const lines = logLines(server.output());
    const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === "request");
    expect(requests.map((line) => line.status)).toEqual([200, 200, 401, 404, 404, 200, 200]);
    // No mail server is set: the operator finds the mails in a file, and the log tells where.
    const mails = readFileSync(join(home, "us.unsent-mails.txt"), "utf8");
    const token = /\/reset#([0-9A-Za-z]{43})/.exec(mails)?.[1] ?? "";
    expect(lines.filter((line) => line.includes("us.unsent-mails.txt"))).toHaveLength(2);
    const master = readFileSync(join(home, "master.key"), "utf8").trim();
    const secrets = [us.api_key, String(made.body.api_key), master, token, String(invited.body.invite_code)];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(40);
      expect(lines.filter((line) => line.includes(secret.slice(0, 30)))).toEqual([]);
    }
  });

  test("two regions run side by side, each redirecting the other's callers", async () => {
    const { us, firstRun } = await serve(temporaryFolder(), await freePorts(2), "us,eu");
    const eu = firstRun.regions.eu as FirstRunRegion;
    const lost = await post(us.base_url, "auth/info", `Bearer :${eu.api_key}`);
    expect([lost.status, lost.body.code, lost.body.base_url]).toEqual([421, "wrong_region", eu.base_url]);
    const found = await post(String(lost.body.base_url), "auth/info", `Bearer :${eu.api_key}`);
    expect(found.body).toMatchObject({ user_id: eu.user_id, region: "eu" });
  });

  test("wrong passwords in one region do not delay sign-ins in another", async () => {
    const serving = await serve(temporaryFolder(), await freePorts(2), "us,eu");
    const eu = serving.firstRun.regions.eu as FirstRunRegion;
    expect(eu.email).toBe(serving.us.email);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => signInWith(serving, "a guess")));
    expect(guesses.some(({ body }) => body.code === "rate_limited")).toBe(true);
    const there = { email: eu.email, password: eu.password };
    expect((await post(eu.base_url, "auth/sign_in/password", "", there)).status).toBe(200);
  });
});

test("doctor shows the longest pause of the running server", async () => {
  const { home, port, server } = await startServing();
  // From outside nothing else makes it stand still for sure.
  server.signal("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 700));
  server.signal("SIGCONT");
  await server.printed(/the event loop stood still/);
  const args = ["doctor", "--json", "--home", home, "--port", String(port)];
  const { results } = JSON.parse((await signalbox(args)).stdout);
  const found = results.find(({ check }: { check: string }) => check === "event loop");
  expect(found).toEqual({
    check: "event loop",
    what: "event loop",
    ok: true,
    detail: expect.stringMatching(/^stood still for \d+\.\d\d s at most, at \S+Z, during \w+/),
    remedy: expect.stringMatching(/log/),
  });
});
