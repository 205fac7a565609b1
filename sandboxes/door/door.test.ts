import { afterEach, describe, expect, test } from "vitest";
import { createClock } from "./clock.ts";
import type { Sandbox, SandboxCall } from "./sandbox.ts";
import { type ServedSandbox, serveSandbox } from "./serve-sandbox.ts";

/** The smallest system there is: it counts the calls that reached it. */
function createCountingSandbox(): Sandbox & { calls: SandboxCall[] } {
  const calls: SandboxCall[] = [];
  let limit = 5;
  return {
    system: "marketing",
    clock: createClock(),
    calls,
    handle(call) {
      calls.push(call);
      return { status: 200, body: { count: calls.length }, identity: "somebody" };
    },
    describe: () => ({ credentials: {}, ids: {}, limits: { limit } }),
    reset() {
      calls.length = 0;
      limit = 5;
    },
    setLimits(limits) {
      if (typeof limits.limit !== "number") return "`limit` is a number.";
      limit = limits.limit;
      return null;
    },
    stop() {},
  };
}

let served: ServedSandbox | undefined;
afterEach(() => served?.stop());

async function start() {
  const sandbox = createCountingSandbox();
  served = await serveSandbox(() => sandbox, 0);
  const { url } = served;
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  const get = async (path: string) => (await fetch(`${url}${path}`)).json();
  return { sandbox, url, post, get };
}

describe("the control door", () => {
  test("tells what is there", async () => {
    const { get } = await start();
    expect(await get("/_sandbox")).toEqual({ system: "marketing", credentials: {}, ids: {}, limits: { limit: 5 } });
  });

  test("lists every call but its own, oldest first", async () => {
    const { url, get } = await start();
    await fetch(`${url}/a?b=1`);
    await fetch(`${url}/c`, { method: "POST", body: "{}" });
    const { requests } = (await get("/_sandbox/requests")) as { requests: object[] };
    expect(requests).toEqual([
      { at: expect.any(String), method: "GET", path: "/a", status: 200, identity: "somebody" },
      { at: expect.any(String), method: "POST", path: "/c", status: 200, identity: "somebody" },
    ]);
  });

  test("reset forgets calls, faults, limits and the moved clock", async () => {
    const { sandbox, url, post, get } = await start();
    await fetch(`${url}/a`);
    await post("/_sandbox/faults", { match: {}, times: 3, status: 503 });
    await post("/_sandbox/limits", { limit: 1 });
    await post("/_sandbox/clock", { now: "2001-01-01T00:00:00Z" });
    expect((await post("/_sandbox/reset", {})).status).toBe(200);
    expect(await get("/a")).toEqual({ count: 1 });
    expect(await get("/_sandbox")).toMatchObject({ limits: { limit: 5 } });
    expect(new Date(sandbox.clock.now()).getUTCFullYear()).toBeGreaterThan(2001);
  });

  test.each([
    ["/_sandbox/faults", { times: 1 }],
    ["/_sandbox/faults", { status: 99 }],
    ["/_sandbox/faults", { status: 500, times: 0 }],
    ["/_sandbox/faults", { drop: "sideways" }],
    ["/_sandbox/faults", []],
    ["/_sandbox/faults", "not json"],
    ["/_sandbox/clock", {}],
    ["/_sandbox/clock", { now: "yesterday-ish" }],
    ["/_sandbox/limits", { limit: "many" }],
  ])("%s refuses %j with a sentence", async (path, body) => {
    const { post } = await start();
    const response = await post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/\.$/) });
  });

  test("an unknown action names the ones there are", async () => {
    const { post } = await start();
    const response = await post("/_sandbox/explode", {});
    expect(response.status).toBe(404);
    expect(((await response.json()) as { error: string }).error).toContain("/faults");
  });
});

describe("a fault", () => {
  test("makes the next matching calls fail, and only those", async () => {
    const { sandbox, url, post } = await start();
    await post("/_sandbox/faults", {
      match: { method: "GET", path: "/a" },
      times: 2,
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: "slow down" },
    });
    expect((await fetch(`${url}/b`)).status).toBe(200);
    const first = await fetch(`${url}/a?x=1`);
    expect([first.status, first.headers.get("retry-after"), await first.json()]).toEqual([
      429,
      "7",
      { error: "slow down" },
    ]);
    expect((await fetch(`${url}/a`)).status).toBe(429);
    expect((await fetch(`${url}/a`)).status).toBe(200);
    expect(sandbox.calls).toHaveLength(2);
  });

  test("drop before: the connection is cut and nothing happens", async () => {
    const { sandbox, url, post } = await start();
    await post("/_sandbox/faults", { match: { path: "/a" }, times: 1, drop: "before" });
    await expect(fetch(`${url}/a`)).rejects.toThrow();
    expect(sandbox.calls).toHaveLength(0);
  });

  test("drop after: the write is applied, and the answer never comes", async () => {
    const { sandbox, post } = await start();
    await post("/_sandbox/faults", { match: { path: "/a" }, times: 1, drop: "after" });
    await expect(post("/a", {})).rejects.toThrow();
    expect(sandbox.calls).toHaveLength(1);
  });
});

describe("the clock", () => {
  test("what is planned happens in its order when the clock passes it, each at its own time", () => {
    const clock = createClock();
    const start = clock.now();
    const seen: [string, number][] = [];
    clock.at(start + 20_000, () => seen.push(["late", clock.now() - start]));
    clock.at(start + 10_000, () => {
      seen.push(["early", clock.now() - start]);
      clock.at(start + 15_000, () => seen.push(["between", clock.now() - start]));
    });
    const callOff = clock.at(start + 12_000, () => seen.push(["called off", 0]));
    callOff();
    clock.advance(60);
    clock.stop();
    expect(seen).toEqual([
      ["early", 10_000],
      ["between", 15_000],
      ["late", 20_000],
    ]);
  });
});
