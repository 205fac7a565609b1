import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestSandbox, type TestSandbox } from "./testing/start-test-sandbox.ts";

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await startTestSandbox();
});
afterEach(() => sandbox.stop());

// "{match:{method?,path?}, times, status?, headers?, body?, delay_ms?, drop?:"before"|"after"}: the next N matching calls fail
// so; `match.path` is exact, without query; `drop:"after"` applies the write and then cuts the connection"
describe("a fault", () => {
  test("makes the next matching calls fail, and only those", async () => {
    await sandbox.order({
      match: { method: "GET", path: "/a" },
      times: 2,
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: "slow down" },
    });
    expect((await fetch(`${sandbox.url}/b`)).status).toBe(200);
    const first = await fetch(`${sandbox.url}/a?x=1`);
    expect([first.status, first.headers.get("retry-after"), await first.json()]).toEqual([
      429,
      "7",
      { error: "slow down" },
    ]);
    expect((await fetch(`${sandbox.url}/a`)).status).toBe(429);
    expect((await fetch(`${sandbox.url}/a`)).status).toBe(200);
    expect(sandbox.system.calls).toHaveLength(2);
  });

  test("with a body and no status is a 200 that says something else, also after a delay", async () => {
    const body = { success: false, errors: [{ code: "606", message: "Max rate limit" }] };
    await sandbox.order({ match: { path: "/a" }, body });
    await sandbox.order({ match: { path: "/a" }, body, delay_ms: 1 });
    for (let turn = 0; turn < 2; turn++) {
      const response = await fetch(`${sandbox.url}/a`);
      expect([response.status, await response.json()]).toEqual([200, body]);
    }
    expect(sandbox.system.calls).toHaveLength(0);
  });

  test("with headers alone puts them on the system's own answer", async () => {
    await sandbox.order({ match: { path: "/a" }, headers: { "x-ratelimit-remaining": "0" } });
    const response = await fetch(`${sandbox.url}/a`);
    expect([response.headers.get("x-ratelimit-remaining"), response.headers.get("x-own")]).toEqual(["0", "yes"]);
    expect(await response.json()).toEqual({ count: 1 });
  });

  test("drop before: the connection is cut and nothing happens", async () => {
    await sandbox.order({ match: { path: "/a" }, times: 1, drop: "before" });
    await expect(fetch(`${sandbox.url}/a`)).rejects.toThrow();
    expect(sandbox.system.calls).toHaveLength(0);
    expect((await sandbox.requests()).map(({ status }) => status)).toEqual([0]);
  });

  test("drop after: the write is applied, and the answer never comes", async () => {
    await sandbox.order({ match: { path: "/a" }, times: 1, drop: "after" });
    await expect(sandbox.post("/a", {})).rejects.toThrow();
    expect(sandbox.system.calls).toHaveLength(1);
  });

  test("half: the write is applied, and half of its answer comes", async () => {
    await sandbox.order({ match: { path: "/a" }, times: 1, drop: "after", half: true });
    const response = await sandbox.post("/a", {});
    expect([response.status, sandbox.system.calls.length]).toEqual([200, 1]);
    await expect(response.text()).rejects.toThrow();
  });

  test("applied: the write is applied, and the answer is an error", async () => {
    await sandbox.order({ match: { path: "/a" }, times: 1, status: 500, applied: true });
    expect([(await sandbox.post("/a", {})).status, sandbox.system.calls.length]).toEqual([500, 1]);
  });
});

describe("a fault on a path that a library answers", () => {
  test("answers instead of the system", async () => {
    await sandbox.order({ match: { path: "/library" }, status: 503 });
    expect((await fetch(`${sandbox.url}/library`)).status).toBe(503);
    expect(sandbox.system.taken).toEqual([]);
  });

  test("holds it up, and the library still answers", async () => {
    await sandbox.order({ match: { path: "/library" }, delay_ms: 1, headers: { "x-late": "yes" } });
    const response = await fetch(`${sandbox.url}/library`);
    expect([response.status, response.headers.get("x-late"), await response.text()]).toEqual([
      201,
      "yes",
      "by the library",
    ]);
  });

  test.each([
    ["before", []],
    ["after", ["GET"]],
  ])("cuts the connection %s the library did its work", async (drop, taken) => {
    await sandbox.order({ match: { path: "/library" }, drop });
    await expect(fetch(`${sandbox.url}/library`)).rejects.toThrow();
    expect(sandbox.system.taken).toEqual(taken);
  });
});
