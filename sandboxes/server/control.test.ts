import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startTestSandbox, type TestSandbox } from "./testing/start-test-sandbox.ts";

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await startTestSandbox();
});
afterEach(() => sandbox.stop());

describe("the control API", () => {
  test("tells what is there", async () => {
    expect(await sandbox.get("/_sandbox")).toEqual({
      system: "marketing",
      credentials: {},
      ids: {},
      limits: { limit: 5 },
    });
  });

  test("reset forgets calls, faults, limits and the moved clock", async () => {
    await fetch(`${sandbox.url}/a`);
    await sandbox.order({ match: {}, times: 3, status: 503 });
    await sandbox.post("/_sandbox/limits", { limit: 1 });
    await sandbox.post("/_sandbox/clock", { now: "2001-01-01T00:00:00Z" });
    expect((await sandbox.post("/_sandbox/reset", {})).status).toBe(200);
    expect(await sandbox.get("/a")).toEqual({ count: 1 });
    expect(await sandbox.get("/_sandbox")).toMatchObject({ limits: { limit: 5 } });
    expect(new Date(sandbox.system.clock.now()).getUTCFullYear()).toBeGreaterThan(2001);
  });

  test.each([
    ["/_sandbox/faults", { times: 1 }],
    ["/_sandbox/faults", { status: 99 }],
    ["/_sandbox/faults", { status: 101 }],
    ["/_sandbox/faults", { status: 500, times: 0 }],
    ["/_sandbox/faults", { status: 500, match: { paht: "/a" } }],
    ["/_sandbox/faults", { status: 500, headers: { "retry-after": 7 } }],
    ["/_sandbox/faults", { status: 500, headers: { "two words": "x" } }],
    ["/_sandbox/faults", { status: 500, headers: { "x-lines": "one\r\ntwo" } }],
    ["/_sandbox/faults", { drop: "sideways" }],
    ["/_sandbox/faults", { drop: "before", half: true }],
    ["/_sandbox/faults", { delay_ms: 1, applied: true }],
    ["/_sandbox/faults", []],
    ["/_sandbox/faults", "not json"],
    ["/_sandbox/clock", {}],
    ["/_sandbox/clock", { now: "yesterday-ish" }],
    ["/_sandbox/clock", { now: 1e20 }],
    ["/_sandbox/clock", { advance_seconds: 1e300 }],
    ["/_sandbox/clock", { advance_seconds: -1 }],
    ["/_sandbox/limits", { limit: "many" }],
  ])("%s refuses %j with a sentence", async (path, body) => {
    const response = await sandbox.post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/\.$/) });
    // And nothing of it was kept.
    expect((await fetch(`${sandbox.url}/a`)).status).toBe(200);
    expect((await sandbox.post("/_sandbox/clock", { advance_seconds: 0 })).status).toBe(200);
  });

  test("tells its time, the faults that wait and the newest calls, and takes a fault back", async () => {
    await sandbox.post("/_sandbox/clock", { now: "2031-01-01T00:00:00Z" });
    expect(await sandbox.get("/_sandbox/clock")).toEqual({ now: expect.stringMatching(/^2031-01-01T00:00/) });
    await sandbox.order({ match: { path: "/a" }, times: 2, status: 503 });
    await sandbox.order({ match: {}, delay_ms: 1 });
    await fetch(`${sandbox.url}/a`);
    const { faults } = (await sandbox.get("/_sandbox/faults")) as { faults: { fault_id: string; times: number }[] };
    expect(faults).toMatchObject([{ times: 1, status: 503, match: { path: "/a" } }, { delay_ms: 1 }]);
    const [{ fault_id } = { fault_id: "" }] = faults;
    const removed = async () => (await sandbox.post("/_sandbox/faults/remove", { fault_id })).json();
    expect([await removed(), await removed()]).toEqual([{ removed: true }, { removed: false }]);
    await fetch(`${sandbox.url}/a`);
    await fetch(`${sandbox.url}/b`);
    expect(await sandbox.get("/_sandbox/requests?last=2")).toMatchObject({
      requests: [
        { path: "/a", status: 200 },
        { path: "/b", status: 200 },
      ],
    });
  });

  test("an unknown action names the ones there are", async () => {
    const response = await sandbox.post("/_sandbox/explode", {});
    expect(response.status).toBe(404);
    expect(((await response.json()) as { error: string }).error).toContain("/faults");
  });
});

// "every call received: {"requests":[{"at","method","path","status","identity"}]}, oldest first; control calls are not listed"
describe("the request log", () => {
  test("lists every call but its own, oldest first", async () => {
    await fetch(`${sandbox.url}/a?b=1`);
    await sandbox.post("/c", {});
    await fetch(`${sandbox.url}/library`);
    expect(await sandbox.requests()).toEqual([
      { at: expect.any(String), method: "GET", path: "/a", status: 200, identity: "somebody" },
      { at: expect.any(String), method: "POST", path: "/c", status: 200, identity: "somebody" },
      { at: expect.any(String), method: "GET", path: "/library", status: 201, identity: null },
    ]);
  });

  test("lists a call when it is received: before the ones that overtake it, and with no status until it is answered", async () => {
    await sandbox.order({ match: { path: "/held" }, delay_ms: 600_000 });
    const held = fetch(`${sandbox.url}/held`).catch(() => null);
    await expect.poll(sandbox.requests).toHaveLength(1);
    await fetch(`${sandbox.url}/quick`);
    expect((await sandbox.requests()).map(({ path, status }) => [path, status])).toEqual([
      ["/held", 0],
      ["/quick", 200],
    ]);
    await sandbox.stop();
    await held;
    sandbox = await startTestSandbox();
  });

  test("tells a call that broke the sandbox as the 500 that it was", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    expect((await fetch(`${sandbox.url}/broken`)).status).toBe(500);
    said.mockRestore();
    expect((await sandbox.requests()).map(({ status }) => status)).toEqual([500]);
  });
});
