import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startApp, type TestApp } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectTo, listen, readAnswer } from "../../test/support/processes/raw-http.ts";
import { newStore } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import { newApiKey } from "../access/callers/api-key-format.ts";
import { needsProject } from "../access/callers/authorize.ts";
import { operations } from "../api/index.ts";
import { toBase62 } from "../kernel/random.ts";
import type { Store } from "../store/db.ts";

/** "Any string not in the grammar gives 401 and never reaches the database (count queries)." */

/** Set while the test makes a call: heartbeats and other work beside it do not count, unless they look for a key. */
const calling = new AsyncLocalStorage<boolean>();

/** The real store, which counts the queries of calls. */
async function countingStore(): Promise<{ store: Store; asked: () => number }> {
  const inner = await newStore("sqlite");
  let count = 0;
  const counted = (sql: string) => {
    if (calling.getStore() || /\bapi_keys\b/.test(sql)) count++;
  };
  const query: Store["query"] = (sql, values) => {
    counted(sql);
    return inner.query(sql, values);
  };
  const store: Store = {
    ...inner,
    query,
    reserve: { query },
    transaction: (work) => {
      counted("");
      return inner.transaction(work);
    },
  };
  return { store, asked: () => count };
}

// The grammar of the reference, written down a second time: split at the colons, and look at each part.
function isInGrammar(header: string): boolean {
  const hasScheme = /^bearer +/i.test(header);
  const withoutScheme = hasScheme ? header.replace(/^bearer +/i, "") : header;
  // "`Bearer <api_key>` without a colon is an account key without a project, like `Bearer :<api_key>`."
  const whole = hasScheme && !withoutScheme.includes(":") ? `:${withoutScheme}` : withoutScheme;
  const [project = "", key = "", region, ...more] = whole.split(":");
  if (more.length > 0 || header.length > 512) return false;
  if (!/^[\w-]{0,64}$/.test(project) || !/^sbk_(us|eu|au)_[0-9A-Za-z]{49}$/.test(key)) return false;
  if (region !== undefined && (project === "" || region !== key.slice(4, 6))) return false;
  return newChecksum(key.slice(0, -6)) === key.slice(-6);
}

/** CRC-32 bit by bit, as in the textbook. */
function newChecksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return toBase62((crc ^ 0xffffffff) >>> 0, 6);
}

// What Node lets a client put into a header: Latin-1 without control characters, the tab excepted.
const headerText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)), {
      maxLength,
    })
    .map((codes) => String.fromCharCode(...codes).trim());

const pieces = (key: string, projectId: string) =>
  fc
    .array(
      fc.constantFrom(
        "Bearer",
        "bearer",
        "Basic",
        " ",
        "  ",
        ":",
        "::",
        projectId,
        key,
        "us",
        "eu",
        key.slice(0, 20),
        "%3A",
        "\t",
      ),
      { maxLength: 7 },
    )
    .map((parts) => parts.join("").trim());

/** One change to a good header: a character put in, taken out or replaced. */
const nearlyGood = (good: string) =>
  fc
    .tuple(fc.nat(good.length), fc.constantFrom("", ":", " ", "0", "z", "-", "é", "%00"), fc.nat(2))
    .map(([at, put, taken]) => (good.slice(0, at) + put + good.slice(at + taken)).trim());

const refusedWithoutAsking = async (app: TestApp, asked: () => number, authorization: string): Promise<void> => {
  const before = asked();
  const answer = await calling.run(true, () => app.call("auth/users/list", {}, { authorization }));
  expectProblem(answer, "credentials_invalid");
  expect(asked()).toBe(before);
};

describe("the Authorization header", () => {
  test("any header outside the grammar is 401, without a query to the database", async () => {
    const { store, asked } = await countingStore();
    const app = await startApp("sqlite", { store });
    const owner = await app.person("owner@example.com");
    const projectId = await app.project(owner);
    const good = `Bearer ${projectId}:${owner.apiKey}`;
    const header = fc
      .oneof(headerText(80), headerText(700), pieces(owner.apiKey, projectId), nearlyGood(good))
      .filter((text) => !isInGrammar(text));
    await fc.assert(
      fc.asyncProperty(header, (text) => refusedWithoutAsking(app, asked, text)),
      { numRuns: 1500 },
    );
  });

  test("any header inside the grammar causes one query to the database", async () => {
    const { store, asked } = await countingStore();
    const app = await startApp("sqlite", { store });
    const project = fc.stringMatching(/^[A-Za-z0-9_-]{0,64}$/);
    const scheme = fc.constantFrom("", "Bearer ", "bearer  ", "BEARER   ");
    await fc.assert(
      fc.asyncProperty(scheme, project, async (word, projectId) => {
        const before = asked();
        const header = `${word}${projectId}:${newApiKey("us")}`;
        expect(isInGrammar(header)).toBe(true);
        const answer = await calling.run(true, () => app.call("auth/info", {}, { authorization: header }));
        expectProblem(answer, "credentials_invalid");
        expect(asked()).toBe(before + 1);
      }),
      { numRuns: 100 },
    );
  });

  test("the four shapes are read on every operation that concerns a project", async () => {
    const { call, owner, projectId } = await startTeam("sqlite");
    const onProjects = operations.filter(({ needs }) => needsProject(needs));
    expect(onProjects.length).toBeGreaterThan(5);
    const withProject = [
      `Bearer ${projectId}:${owner.apiKey}`,
      `${projectId}:${owner.apiKey}`,
      `${projectId}:${owner.apiKey}:us`,
    ];
    for (const { path } of onProjects) {
      const operation = path.slice("/latest/".length).replace(/\{\w+\}/g, owner.userId);
      const answers = [];
      for (const authorization of withProject) {
        const { status, body } = await call(operation, { limit: "wrong" }, { authorization });
        answers.push([status, body.code]);
      }
      // All three are accepted alike, and the fourth lacks only the project.
      expect(answers[0]?.[0]).not.toBe(401);
      expect(answers).toEqual([answers[0], answers[0], answers[0]]);
      expectProblem(await call(operation, {}, { authorization: `Bearer :${owner.apiKey}` }), "project_required");
    }
  });

  test("the region behind the key must be the key's own", async () => {
    const { store, asked } = await countingStore();
    const app = await startApp("sqlite", { store });
    const key = newApiKey("us");
    for (const end of [":eu", ":US", ":", ":us:us"]) {
      await refusedWithoutAsking(app, asked, `prj_us_1:${key}${end}`);
    }
    await refusedWithoutAsking(app, asked, `:${key}:us`);
  });

  test("more than 512 bytes are refused, even of spaces that the grammar allows", async () => {
    const { store, asked } = await countingStore();
    const app = await startApp("sqlite", { store });
    const owner = await app.person("owner@example.com");
    const ofLength = (bytes: number) => `Bearer${" ".repeat(bytes - 7 - owner.apiKey.length)}:${owner.apiKey}`;
    expect((await app.call("auth/info", {}, { authorization: ofLength(512) })).status).toBe(200);
    await refusedWithoutAsking(app, asked, ofLength(513));
  });

  test("control characters in the header never reach the database", async () => {
    const { store, asked } = await countingStore();
    const app = await startApp("sqlite", { store });
    const { apiKey } = await app.person("owner@example.com");
    const port = await listen(app);
    const unknown = asked();
    await app.call("auth/info", {}, { authorization: `Bearer :${newApiKey("us")}` });
    const before = asked();
    expect(before).toBe(unknown + 1);
    for (const control of ["\u0000", "\u0001", "\t", "\u000b", "\u001f", "\u007f"]) {
      const client = await connectTo(port);
      client.send(
        `POST /latest/auth/info HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\nAuthorization: Bearer ${control}:${apiKey}\r\n\r\n{}`,
      );
      const { status } = readAnswer(await client.closed());
      expect([400, 401]).toContain(status);
    }
    expect(asked()).toBe(before);
  });
});
