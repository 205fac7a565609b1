import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { defaultPolicies } from "../../calls/rate-limits/default-quotas.ts";
import { systemIds } from "../../systems/index.ts";
import { type Flags, readConfig } from "./config.ts";
import { allRegionSettings } from "./region-settings.ts";
import { SettingRefused } from "./setting-refused.ts";
import { settings } from "./settings.ts";

/** The sandboxes have the ports from 11 above ours. */
const highestPort = 65_535 - 10 - systemIds.length;

const key = Buffer.alloc(32, 5).toString("base64");

const refusalOf = (environment: Record<string, string>, flags: Flags = {}): string => {
  try {
    readConfig(environment, flags);
  } catch (error) {
    if (error instanceof SettingRefused) return error.message;
    throw error;
  }
  throw new Error("The setting was accepted.");
};

describe("settings", () => {
  test("nothing set: the defaults of the contract, frozen", () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      port: 4100,
      host: "127.0.0.1",
      home: resolve("data"),
      regions: ["us", "eu", "au"],
      sharedFolder: false,
      firstRun: false,
      sandboxes: "off",
      masterKey: null,
      rateLimits: { ...defaultPolicies },
      inviteDays: 7,
      smtpUrl: null,
      logLevel: "info",
      trustedProxies: [],
      databaseUrls: { us: null, eu: null, au: null },
      baseUrls: { us: "http://127.0.0.1:4100", eu: "http://127.0.0.1:4101", au: "http://127.0.0.1:4102" },
    });
    expect(Object.isFrozen(config)).toBe(true);
    expect(readConfig({ SIGNALBOX_PORT: "", SIGNALBOX_MASTER_KEY: "", SIGNALBOX_REGIONS: "" })).toEqual(config);
  });

  test("a process that only serves calls, or only works, needs PostgreSQL in all of its regions", () => {
    const onPostgres = { SIGNALBOX_DATABASE_URL_US: "postgres://u@host/box", SIGNALBOX_REGIONS: "us" };
    expect(readConfig({ ...onPostgres, SIGNALBOX_ROLE: "worker" }).role).toBe("worker");
    expect(readConfig(onPostgres, { role: "api" }).role).toBe("api");
    const refusal = refusalOf({ ...onPostgres, SIGNALBOX_REGIONS: "us,eu", SIGNALBOX_ROLE: "api" });
    expect(refusal).toContain("SIGNALBOX_DATABASE_URL_EU");
  });

  test("several processes need PostgreSQL in all regions, and auto is as many as fit", () => {
    const onPostgres = { SIGNALBOX_DATABASE_URL_US: "postgres://u@host/box", SIGNALBOX_REGIONS: "us" };
    expect(readConfig({}).processes).toBe(1);
    expect(readConfig({ ...onPostgres, SIGNALBOX_PROCESSES: "3" }).processes).toBe(3);
    expect(readConfig(onPostgres, { processes: "auto" }).processes).toBe(availableParallelism());
    const onFile = readConfig({ SIGNALBOX_PROCESSES: "auto" });
    expect([onFile.processes, onFile.hints]).toEqual([1, [expect.stringContaining("region us is on SQLite")]]);
    const refusal = refusalOf({ ...onPostgres, SIGNALBOX_REGIONS: "us,eu", SIGNALBOX_PROCESSES: "2" });
    expect(refusal).toContain("cannot be 2: region eu is on SQLite");
    expect(refusal).toContain("SIGNALBOX_DATABASE_URL_EU");
    for (const wrong of ["0", "129", "many"])
      expect(refusalOf({ SIGNALBOX_PROCESSES: wrong })).toContain("SIGNALBOX_PROCESSES");
  });

  test("a replica needs the primary of its region", () => {
    const replica = { SIGNALBOX_DATABASE_REPLICA_URL_EU: "postgres://u@replica/box" };
    expect(refusalOf(replica)).toContain("SIGNALBOX_DATABASE_URL_EU is required because");
    const { replicaUrls } = readConfig({ ...replica, SIGNALBOX_DATABASE_URL_EU: "postgres://u@host/box" });
    expect([replicaUrls.us, replicaUrls.eu?.reveal()]).toEqual([null, "postgres://u@replica/box"]);
  });

  test("port, host and addresses go together", () => {
    expect(readConfig({ SIGNALBOX_PORT: "5000" }).baseUrls.au).toBe("http://127.0.0.1:5002");
    expect(readConfig({ SIGNALBOX_HOST: "::1" }).baseUrls.us).toBe("http://[::1]:4100");
    // Listening everywhere is no address to call.
    expect(readConfig({ SIGNALBOX_HOST: "0.0.0.0" }).baseUrls.us).toBe("http://127.0.0.1:4100");
    expect(readConfig({ SIGNALBOX_HOST: "::" }).baseUrls.us).toBe("http://127.0.0.1:4100");
  });

  test.each<[string, string, string, unknown]>([
    ["SIGNALBOX_PORT", String(highestPort), "port", highestPort],
    ["SIGNALBOX_HOST", "box.example.com", "host", "box.example.com"],
    ["SIGNALBOX_HOME", "some/where", "home", join(process.cwd(), "some/where")],
    ["SIGNALBOX_REGIONS", "AU, us", "regions", ["us", "au"]],
    ["SIGNALBOX_SHARED_FOLDER", "on", "sharedFolder", true],
    ["SIGNALBOX_FIRST_RUN", "on", "firstRun", true],
    ["SIGNALBOX_SANDBOXES", "own", "sandboxes", "own"],
    [
      "SIGNALBOX_SANDBOXES",
      "http://127.0.0.1:4111",
      "sandboxes",
      Object.fromEntries(systemIds.map((id, index) => [id, `http://127.0.0.1:${4111 + index}`])),
    ],
    ["SIGNALBOX_RATE_LIMITS", "off", "rateLimits", "off"],
    ["SIGNALBOX_INVITE_DAYS", "365", "inviteDays", 365],
    ["SIGNALBOX_LEASE_SECONDS", "2", "leaseSeconds", 2],
    ["SIGNALBOX_MAIL_FROM", "The Box <box@example.com>", "mailFrom", "The Box <box@example.com>"],
    ["SIGNALBOX_LOG_LEVEL", "silent", "logLevel", "silent"],
    ["SIGNALBOX_TRUSTED_PROXIES", "10.0.0.0/8, ::1,", "trustedProxies", ["10.0.0.0/8", "::1"]],
  ])("%s=%s is read", (name, text, member, value) => {
    expect(readConfig({ [name]: text })[member as "port"]).toEqual(value);
  });

  test.each([
    ["SIGNALBOX_PORT", "0", `"0" is not a whole number from 1 to ${highestPort}`],
    ["SIGNALBOX_PORT", String(highestPort + 1), "is not a whole number"],
    ["SIGNALBOX_PORT", "0x10", "is not a whole number"],
    ["SIGNALBOX_PORT", "80 ", "is not a whole number"],
    ["SIGNALBOX_HOST", "http://here", "neither an IP address nor a host name"],
    ["SIGNALBOX_HOST", "two words", "neither an IP address nor a host name"],
    ["SIGNALBOX_REGIONS", "us,mars", '"mars" is not a region; there are us, eu, au'],
    ["SIGNALBOX_REGIONS", "us,", '"" is not a region'],
    ["SIGNALBOX_FIRST_RUN", "yes", '"yes" is not one of on, off'],
    ["SIGNALBOX_SANDBOXES", "on", "is neither own nor off nor an address with a port"],
    ["SIGNALBOX_SANDBOXES", "https://elsewhere.example", "is neither own nor off nor an address with a port"],
    ["SIGNALBOX_MASTER_KEY", "too short", "32 bytes in base64"],
    ["SIGNALBOX_MASTER_KEY", key.slice(4), "32 bytes in base64"],
    ["SIGNALBOX_RATE_LIMITS", "unlimited", '"unlimited" is not of the form name=calls/seconds'],
    ["SIGNALBOX_RATE_LIMITS", "everything=5", '"everything=5" is not of the form'],
    ["SIGNALBOX_RATE_LIMITS", "constructor=5", '"constructor=5" is not of the form'],
    ["SIGNALBOX_RATE_LIMITS", "default=-1", "is not of the form"],
    ["SIGNALBOX_RATE_LIMITS", "default=5/0", "has a window of 0 seconds"],
    ["SIGNALBOX_RATE_LIMITS", '{"default":', "JSON"],
    ["SIGNALBOX_RATE_LIMITS", '{"default":null}', "is not of the form"],
    ["SIGNALBOX_INVITE_DAYS", "0", "is not a whole number from 1 to 365"],
    ["SIGNALBOX_SMTP_URL", "http://mail.example.com", "must begin with smtp://"],
    ["SIGNALBOX_SMTP_URL", "smtp://[mail", "is not a valid address"],
    ["SIGNALBOX_MAIL_FROM", "nobody", "is not of the form"],
    ["SIGNALBOX_MAIL_FROM", "A <a@example.com>\r\nBcc: <b@example.com>", "is not of the form"],
    ["SIGNALBOX_LOG_LEVEL", "loud", '"loud" is not one of debug, info, warn, error, silent'],
    ["SIGNALBOX_TRUSTED_PROXIES", "10.0.0.0/8,proxy", '"proxy" is neither an IP address nor a range'],
    ["SIGNALBOX_TRUSTED_PROXIES", "10.0.0.0/33", "is neither an IP address nor a range"],
    ["SIGNALBOX_DATABASE_URL_EU", "mysql://host/db", "must begin with postgres://"],
    ["SIGNALBOX_DATABASE_URL_EU", "postgres://[host/db", "is not a valid address"],
    ["SIGNALBOX_BASE_URL_AU", "au.example.com", '"au.example.com" is not an http or https address'],
    ["SIGNALBOX_BASE_URL_AU", "ftp://au.example.com", "is not an http or https address"],
    ["SIGNALBOX_BASE_URL_AU", "https://au.example.com/?a=b", "must be a plain address"],
  ])("%s=%s stops the start with a sentence that names it and says why", (name, text, why) => {
    const message = refusalOf({ [name]: text });
    expect(message.startsWith(`${name} `)).toBe(true);
    expect(message).toContain("cannot be used: ");
    expect(message).toContain(why);
  });

  test("every setting has a name of its own and a meaning", () => {
    const all = [...Object.values(settings), ...allRegionSettings()];
    for (const { name, means } of all) {
      expect(name).toMatch(/^(SIGNALBOX|OTEL)_[A-Z_]+$/);
      expect(means).toMatch(/\.$/);
    }
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test("a flag wins over the environment, and its refusal names the flag as well", () => {
    const environment = {
      SIGNALBOX_PORT: "5000",
      SIGNALBOX_HOME: "/a",
      SIGNALBOX_REGIONS: "us",
      SIGNALBOX_HOST: "::1",
    };
    const flags = { port: "6000", home: "/b", regions: "eu", host: "127.0.0.1", firstRun: "on" };
    expect(readConfig(environment, flags)).toMatchObject({
      port: 6000,
      home: "/b",
      regions: ["eu"],
      host: "127.0.0.1",
      firstRun: true,
    });
    expect(refusalOf(environment, { port: "no" })).toMatch(/^SIGNALBOX_PORT \(or --port\) cannot be used: "no"/);
  });

  test.each([
    ["default=10/5,invite=3", { default: [10, 5], account: [50, 5], invite: [3, 3600] }],
    ["default=10/5,account=20", { default: [10, 5], account: [20, 60] }],
    ['"write";q=7;w=9', { write: [7, 9] }],
    ['{"write":7,"invite":{"q":2,"w":60}}', { write: [7, 60], invite: [2, 60] }],
  ])("rate limits as %s override those they name and leave the rest", (text, changed) => {
    const expected = Object.fromEntries(
      Object.entries(changed).map(([name, [quota, windowSeconds]]) => [name, { quota, windowSeconds }]),
    );
    expect(readConfig({ SIGNALBOX_RATE_LIMITS: text }).rateLimits).toEqual({ ...defaultPolicies, ...expected });
  });

  test("addresses of databases, mail servers and bases are read", () => {
    const config = readConfig({
      SIGNALBOX_DATABASE_URL_EU: "postgres://user:pass@one:5432,two:5432/box",
      SIGNALBOX_SMTP_URL: "smtps://user:pass@mail.example.com:465",
      SIGNALBOX_BASE_URL_EU: "https://eu.example.com/box/",
      SIGNALBOX_MASTER_KEY: key,
    });
    expect(config.databaseUrls.eu?.reveal()).toBe("postgres://user:pass@one:5432,two:5432/box");
    expect(config.databaseUrls.us).toBeNull();
    expect(config.smtpUrl?.reveal()).toContain("mail.example.com");
    expect(config.baseUrls).toMatchObject({ eu: "https://eu.example.com/box", us: "http://127.0.0.1:4100" });
    expect(config.masterKey?.reveal()).toBe(key);
  });
});

describe("secrets in settings", () => {
  const canary = "c4n4ry-p4ss";

  test("a refused value that may hold one is never repeated", () => {
    const messages = [
      refusalOf({ SIGNALBOX_MASTER_KEY: canary }),
      refusalOf({ SIGNALBOX_DATABASE_URL_US: `mysql://user:${canary}@host/db` }),
      refusalOf({ SIGNALBOX_DATABASE_URL_US: `postgres://user:${canary}#1@host/db` }),
      refusalOf({ SIGNALBOX_SMTP_URL: `http://user:${canary}@host` }),
      refusalOf({ SIGNALBOX_SMTP_URL: `smtp://user:${canary}@[host` }),
      refusalOf({ SIGNALBOX_BASE_URL_US: `https://user:${canary}@us.example.com` }),
      refusalOf({ SIGNALBOX_MASTER_KEY_OLD: canary }),
      refusalOf({ SIGNALBOX_ANALYTICS_CLIENT_SECRET_EU: `${canary} ` }),
    ];
    for (const message of messages) expect(message).not.toContain(canary);
  });

  test("an accepted one prints as [secret] wherever the object ends up", () => {
    const config = readConfig({
      SIGNALBOX_MASTER_KEY: key,
      SIGNALBOX_DATABASE_URL_US: `postgres://user:${canary}@host/db`,
      SIGNALBOX_SMTP_URL: `smtp://user:${canary}@host`,
      SIGNALBOX_ANALYTICS_CLIENT_ID_US: "client",
      SIGNALBOX_ANALYTICS_CLIENT_SECRET_US: canary,
    });
    for (const text of [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.masterKey}`,
    ]) {
      expect(text).not.toContain(canary);
      expect(text).not.toContain(key);
      expect(text).toContain("[secret]");
    }
  });
});

describe("the region's clients at the live systems", () => {
  test("each region has its own, or none", () => {
    const { oauthClients } = readConfig({
      SIGNALBOX_DEPLOYMENT_CLIENT_ID_US: "oac_1",
      SIGNALBOX_DEPLOYMENT_CLIENT_SECRET_US: "secret",
      SIGNALBOX_DEPLOYMENT_INTEGRATION_SLUG_US: "signalbox",
      SIGNALBOX_ANALYTICS_CLIENT_ID_EU: "client",
      SIGNALBOX_ANALYTICS_CLIENT_SECRET_EU: "secret",
    });
    expect(oauthClients).toMatchObject({
      us: { deployment: { id: "oac_1", slug: "signalbox" } },
      eu: { analytics: { id: "client" } },
      au: {},
    });
    expect([oauthClients.us.analytics, oauthClients.au.deployment]).toEqual([undefined, undefined]);
    expect(oauthClients.us.deployment?.secret.reveal()).toBe("secret");
  });

  test("half of one stops the start, and says which half is missing", () => {
    expect(refusalOf({ SIGNALBOX_ANALYTICS_CLIENT_ID_AU: "client" })).toBe(
      "SIGNALBOX_ANALYTICS_CLIENT_SECRET_AU is required because SIGNALBOX_ANALYTICS_CLIENT_ID_AU is set.",
    );
    const withoutSlug = { SIGNALBOX_DEPLOYMENT_CLIENT_ID_US: "oac", SIGNALBOX_DEPLOYMENT_CLIENT_SECRET_US: "s" };
    expect(refusalOf(withoutSlug)).toContain("SIGNALBOX_DEPLOYMENT_INTEGRATION_SLUG_US is required because");
  });
});
