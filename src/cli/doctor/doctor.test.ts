import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, inject, test } from "vitest";
import { newSmallDisk, whyNoSmallDisk } from "../../../test/support/databases/small-disk.ts";
import { signalbox, startCommand } from "../../../test/support/processes/command.ts";
import { commandLine } from "../../../test/support/processes/command-line.ts";
import { freePort } from "../../../test/support/processes/free-ports.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../../../test/support/stores.ts";
import { knownMigrations, migrate } from "../../store/migrate.ts";
import { openPostgres } from "../../store/postgres/postgres.ts";

interface Found {
  check: string;
  ok: boolean;
  detail: string;
  remedy: string | null;
}

async function doctor(home: string, environment: Record<string, string> = {}) {
  const { code, stdout } = await commandLine(["doctor", "--home", home, "--json"], environment);
  const { results } = JSON.parse(stdout) as { results: Found[] };
  return { code, results, wrong: results.filter(({ ok }) => !ok) };
}

const all = async (home: string, environment: Record<string, string>) => (await doctor(home, environment)).results;

/** A folder in which a server has been at work. */
async function servedFolder(): Promise<string> {
  const home = temporaryFolder();
  const port = String(await freePort());
  const server = startCommand(["serve", "--first-run", "--regions", "us", "--port", port, "--home", home]);
  await server.printed(/Stop with Ctrl-C\.\n/);
  server.signal("SIGTERM");
  expect((await server.finished).code).toBe(0);
  return home;
}

const start = (home: string) => signalbox(["serve", "--first-run", "--regions", "us", "--home", home]);

// "`doctor` with a wrong or broken master key, or a folder that cannot be written: not ok."
describe("a master key", () => {
  test("that is missing, broken or another one is found, and none is created instead", async () => {
    const home = await servedFolder();
    expect(await doctor(home)).toMatchObject({ code: 0, wrong: [] });
    const file = join(home, "master.key");
    const key = readFileSync(file);

    rmSync(file);
    const missing = await doctor(home);
    expect(missing).toMatchObject({
      code: 1,
      wrong: [
        {
          check: "master key",
          what: "master key",
          ok: false,
          detail: expect.stringMatching(/has data, but its master\.key is missing/),
          remedy: expect.stringMatching(/^Put master\.key back/),
        },
      ],
    });
    const files = readdirSync(home);
    const refused = await start(home);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/^signalbox: The data folder .* master\.key is missing\. Put master\.key back/);
    expect(readdirSync(home)).toEqual(files);

    writeFileSync(file, "half a k");
    const broken = await doctor(home);
    expect(broken.wrong).toMatchObject([{ check: "master key", detail: expect.stringMatching(/32 bytes/) }]);
    const halfStart = await start(home);
    expect([halfStart.code, halfStart.stderr]).toEqual([
      2,
      expect.stringMatching(/^signalbox: The master key in .*32 bytes/),
    ]);

    writeFileSync(file, randomBytes(32).toString("base64"));
    const another = await doctor(home);
    expect(another.wrong).toMatchObject([
      { check: "master key", detail: expect.stringMatching(/region us need the master key/) },
    ]);
    expect((await start(home)).code).toBe(2);
    // Beside a store of an earlier version too, which the next start would bring up to date.
    const database = new DatabaseSync(join(home, "us.sqlite"));
    database.exec("delete from schema_migrations where number = (select max(number) from schema_migrations)");
    database.close();
    expect((await doctor(home)).wrong).toMatchObject(another.wrong);

    writeFileSync(file, key);
    expect((await doctor(home)).code).toBe(0);

    // "A missing `master.key` beside data never makes a new one": data of a region that is not served, too.
    const copied = temporaryFolder();
    copyFileSync(join(home, "us.sqlite"), join(copied, "us.sqlite"));
    expect((await doctor(copied, { SIGNALBOX_REGIONS: "eu" })).wrong).toMatchObject([
      { check: "master key", detail: expect.stringMatching(/region us need the master key/) },
    ]);
    expect(readdirSync(copied)).toEqual(["us.sqlite"]);
  });

  test("in a setting that cannot be used is a finding, not only a refusal", async () => {
    const { code, wrong } = await doctor(temporaryFolder(), { SIGNALBOX_MASTER_KEY: "short" });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([{ check: "master key", detail: expect.stringMatching(/^SIGNALBOX_MASTER_KEY/) }]);
  });
});

test("a data folder that cannot be written is found, and nothing is left in one that can", async () => {
  const parent = temporaryFolder();
  writeFileSync(join(parent, "a-file"), "");
  // Even root cannot make a folder in a file.
  const { code, wrong } = await doctor(join(parent, "a-file", "data"));
  expect(code).toBe(1);
  expect(wrong).toMatchObject([
    {
      check: "data folder",
      detail: expect.stringMatching(/cannot be written/),
      remedy: expect.stringMatching(/--home/),
    },
  ]);
  expect((await doctor(join(parent, "data"))).code).toBe(0);
  expect(readdirSync(parent)).toEqual(["a-file"]);
  expect(existsSync(join(parent, "data"))).toBe(false);
});

test("an address that this machine does not have is found, and no server is seen there", async () => {
  const { code, wrong } = await doctor(temporaryFolder(), { SIGNALBOX_HOST: "203.0.113.1", SIGNALBOX_REGIONS: "us" });
  expect(code).toBe(1);
  expect(wrong).toMatchObject([{ check: "port 4100", remedy: expect.stringMatching(/SIGNALBOX_HOST/) }]);
  expect(wrong[0]?.detail).toMatch(/^203\.0\.113\.1 cannot be listened on: .*EADDRNOTAVAIL/);
});

test("a full disk is found, and the attempt to write leaves nothing there", async (context) => {
  const disk = newSmallDisk(1);
  if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
  disk.fill();
  const { code, wrong } = await doctor(disk.folder);
  expect(code).toBe(1);
  expect(wrong).toMatchObject([{ check: "data folder", detail: expect.stringMatching(/cannot be written: ENOSPC/) }]);
  expect(readdirSync(disk.folder)).toEqual(["ballast"]);
});

// "`doctor` changes nothing (today it migrates an empty database)."
describe("a store", () => {
  const filesIn = (home: string) => readdirSync(home).map((name) => [name, readFileSync(join(home, name), "hex")]);

  test("in a file is neither created, filled nor brought up to date", async () => {
    const home = temporaryFolder();
    const only = { SIGNALBOX_REGIONS: "us,eu" };
    writeFileSync(join(home, "eu.sqlite"), "");
    await commandLine(["migrate", "--region", "us", "--home", home]);
    const database = new DatabaseSync(join(home, "us.sqlite"));
    database.exec("delete from schema_migrations where number > 1");
    database.close();
    const before = filesIn(home);
    const found = await all(home, only);
    expect(found).toContainEqual(
      expect.objectContaining({
        check: "store us",
        ok: true,
        detail: expect.stringMatching(/schema 1; the next start/),
      }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ check: "store eu", ok: true, detail: expect.stringMatching(/not there yet/) }),
    );
    expect(filesIn(home)).toEqual(before);
  });

  // "`doctor` names indexes whose build has not ended", also while later migrations wait for it.
  test.skipIf(inject("postgresUrl") === null)("whose upgrade builds an index is shown with it", async () => {
    const url = await newPostgresDatabase("template0");
    const store = openPostgres(url, 1);
    cleanUpLater(() => store.close());
    const until = knownMigrations().filter(({ name }) => name <= "0039");
    await migrate(store, new Date(), until);
    await store.query("insert into schema_indexes (name) values ('idempotent_answers_secrets')");
    const found = await all(temporaryFolder(), { SIGNALBOX_REGIONS: "us", SIGNALBOX_DATABASE_URL_US: url });
    const detail = expect.stringMatching(
      /schema 38; the next start brings it to \d+; being built, or left to the next start: idempotent_answers_secrets$/,
    );
    expect(found).toContainEqual(expect.objectContaining({ check: "store us", ok: true, detail }));
  });

  test.skipIf(inject("postgresUrl") === null)(
    "in an empty PostgreSQL stays empty, and its clock is compared",
    async () => {
      const url = await newPostgresDatabase("template0");
      const settings = { SIGNALBOX_REGIONS: "us", SIGNALBOX_DATABASE_URL_US: url, SIGNALBOX_PROCESSES: "128" };
      const found = await all(temporaryFolder(), settings);
      expect(found).toContainEqual(
        expect.objectContaining({ check: "store us", ok: true, detail: expect.stringMatching(/: empty; /) }),
      );
      expect(found).toContainEqual(expect.objectContaining({ check: "clock us", ok: true }));
      // Advice, as a pooler may be in front: 128 processes with 11 connections each, and more than there are cores.
      for (const [check, remedy] of [
        ["processes", /SIGNALBOX_PROCESSES to auto/],
        ["connections us", /max_connections/],
      ] as const)
        expect(found).toContainEqual(
          expect.objectContaining({ check, ok: true, remedy: expect.stringMatching(remedy) }),
        );
      expect(found.find(({ check }) => check === "connections us")?.detail).toContain("up to 1408 (128 × 11)");
      // "Commands for operators never create a store by accident."
      const refused = await commandLine(["audit", "verify", "--region", "us"], {
        ...settings,
        SIGNALBOX_HOME: "/nowhere",
      });
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/There is no store of the region us: PostgreSQL, /),
      ]);
      const store = openPostgres(url, 1);
      // A clock that is an hour ahead: the database looks for functions here first.
      await store.query(
        "create function public.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() + interval '1 hour' $$",
      );
      const database = new URL(url).pathname.slice(1);
      await store.query(`alter database "${database}" set search_path = public, pg_catalog`);
      expect((await doctor(temporaryFolder(), settings)).wrong).toMatchObject([
        {
          check: "clock us",
          detail: expect.stringMatching(/^this machine is 36\d\d(\.\d)? s behind PostgreSQL$/),
          remedy: expect.stringMatching(/NTP/),
        },
      ]);
      const tables = await store.query("select 1 from pg_tables where schemaname = 'public'");
      await store.close();
      expect(tables).toEqual([]);
    },
  );
});

test("servers that are away, a proxy that passes too little and a clock that is wrong are found, each with its remedy", async () => {
  const { baseUrl } = await startServedTeam();
  let passes = /^\/(latest|healthz)/;
  let drops = false;
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  const proxy = createServer(async (request, response) => {
    const { method = "GET", headers } = request;
    if (!passes.test(request.url ?? "")) return void response.writeHead(404, { date: later }).end();
    const body = method === "POST" ? Buffer.concat(await request.toArray()) : null;
    const { authorization } = headers;
    const passed = { "content-type": "application/json", ...(authorization && !drops ? { authorization } : {}) };
    const answer = await fetch(`${baseUrl}${request.url}`, { method, headers: passed, body, redirect: "manual" });
    const id = answer.headers.get("x-request-id") ?? "";
    response.writeHead(answer.status, { "x-request-id": id, date: later }).end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  cleanUpLater(() => new Promise((resolve) => proxy.close(resolve)));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const settings = {
    SIGNALBOX_REGIONS: "us",
    SIGNALBOX_BASE_URL_US: address,
    SIGNALBOX_SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    SIGNALBOX_DATABASE_URL_US: `postgres://nobody@127.0.0.1:${await freePort()}/nothing`,
  };
  const { code, wrong } = await doctor(temporaryFolder(), settings);
  expect(code).toBe(1);
  expect(wrong.map(({ check }) => check)).toEqual(["store us", "proxy us", "clock us proxy", "mail"]);
  const [store, path, clock, mail] = wrong;
  expect(store?.remedy).toMatch(/SIGNALBOX_DATABASE_URL_US/);
  expect(path?.detail).toBe(
    `${address} does not pass /sign-in, /oauth/callback, /sso/start, /scim/v2/ServiceProviderConfig, /mcp, /.well-known/oauth-protected-resource`,
  );
  expect([clock?.detail, clock?.remedy]).toEqual([expect.stringMatching(/behind/), expect.stringMatching(/NTP/)]);
  expect([mail?.detail, mail?.remedy]).toEqual([
    expect.stringMatching(/cannot be used/),
    expect.stringMatching(/SMTP_URL/),
  ]);
  passes = /^\/(?!metrics)/;
  const { SIGNALBOX_REGIONS, SIGNALBOX_BASE_URL_US } = settings;
  const proxyFinding = async () => {
    const found = await all(temporaryFolder(), { SIGNALBOX_REGIONS, SIGNALBOX_BASE_URL_US });
    return found.find(({ check }) => check === "proxy us");
  };
  expect(await proxyFinding()).toMatchObject({ ok: true, detail: `${address} passes what is needed` });
  drops = true;
  expect(await proxyFinding()).toMatchObject({
    ok: false,
    detail: `${address} removes the Authorization header`,
    remedy: "Pass the Authorization header to Signalbox.",
  });
  drops = false;
  passes = /./;
  expect(await proxyFinding()).toMatchObject({
    ok: false,
    detail: `${address} passes /metrics to everybody`,
    remedy: expect.stringMatching(/^Let the proxy refuse \/metrics/),
  });
});
