import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SandboxCall } from "../../server/sandbox.ts";
import { createMarketingSandbox } from "../marketing.ts";
import { type Envelope, type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";
import { fullClient } from "./clients.ts";

describe("how much one instance lets through", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(async () => {
    await marketing.control("/reset", {});
    // Noon in Chicago, far from any midnight.
    await marketing.control("/clock", { now: "2030-03-05T18:00:00Z" });
    await marketing.renewToken();
  });
  afterAll(() => marketing.stop());

  const path = "/rest/v1/stats/usage.json";
  const inTurn = async (times: number) => {
    const codes: string[] = [];
    for (let turn = 0; turn < times; turn++) codes.push((await marketing.get(path)).errors?.[0]?.code ?? "ok");
    return codes;
  };

  test("a hundred calls in twenty seconds pass and the next is 606, until the window has passed", async () => {
    expect(await inTurn(100)).not.toContain("606");
    const { errors } = await marketing.get(path);
    expect(errors).toEqual([{ code: "606", message: "Max rate limit '100' exceeded with in '20' secs" }]);
    await marketing.advance(20);
    expect(await inTurn(1)).toEqual(["ok"]);
  });

  test("the window slides: what is older than it makes room, and no more than that", async () => {
    // A long window, so that the time which the calls themselves take is nothing beside it.
    await marketing.setLimits({ rate_seconds: 2000 });
    await inTurn(60);
    await marketing.advance(1500);
    expect(await inTurn(41)).toEqual([...Array.from({ length: 40 }, () => "ok"), "606"]);
    await marketing.advance(600);
    expect(await inTurn(61)).toEqual([...Array.from({ length: 60 }, () => "ok"), "606"]);
  });

  test("calls that end in 601 or 605 are not counted", async () => {
    for (let turn = 0; turn < 60; turn++) await marketing.call("GET", path, { token: "nonsense" });
    for (let turn = 0; turn < 60; turn++) await marketing.call("PUT", path);
    expect(await inTurn(100)).not.toContain("606");
  });

  test("all clients share the window", async () => {
    const token = await marketing.tokenOf(marketing.description.credentials.read_only);
    await inTurn(100);
    expect(await marketing.codeOf("GET", path, { token })).toBe("606");
  });

  test("the day's quota is 607 until midnight in Chicago", async () => {
    await marketing.setLimits({ daily_calls: 5, rate_calls: null });
    expect(await inTurn(6)).toEqual(["ok", "ok", "ok", "ok", "ok", "607"]);
    await marketing.control("/clock", { now: "2030-03-06T05:59:50Z" });
    await marketing.renewToken();
    expect(await inTurn(1)).toEqual(["607"]);
    await marketing.control("/clock", { now: "2030-03-06T06:00:01Z" });
    expect(await inTurn(1)).toEqual(["ok"]);
  });

  test("a call held up by a fault is in flight: with room for one, the next is 615", async () => {
    await marketing.setLimits({ concurrent_calls: 1, rate_calls: null });
    const held = "/rest/v1/lists.json";
    await marketing.control("/faults", { match: { path: held }, times: 1, delay_ms: 2000 });
    const first = marketing.get(held);
    const second = await untilRefused();
    expect(second.errors).toEqual([{ code: "615", message: "Concurrent access limit '1' reached" }]);
    expect((await first).success).toBe(true);
    expect(await inTurn(1)).toEqual(["ok"]);
  });

  async function untilRefused(): Promise<Envelope> {
    for (;;) {
      const answer = await marketing.get(path);
      if (!answer.success) return answer;
    }
  }

  test("usage and errors are told by day and user", async () => {
    await inTurn(3);
    const token = await marketing.tokenOf(marketing.description.credentials.read_only);
    await marketing.call("POST", "/rest/v1/leads.json", { json: {}, token });
    const { result } = await marketing.get(path);
    expectShape(result, [shapes.usage]);
    expect(result).toEqual([
      {
        date: "2030-03-05",
        total: 5,
        users: [
          { userId: "api-user@example.com", count: 4 },
          { userId: "read-only-user@example.com", count: 1 },
        ],
      },
    ]);
    expect((await marketing.get("/rest/v1/stats/errors.json")).result).toEqual([
      { date: "2030-03-05", total: 1, errors: [{ errorCode: "603", count: 1 }] },
    ]);
    await marketing.advance(86_400);
    await marketing.renewToken();
    const week = (await marketing.get("/rest/v1/stats/usage/last7days.json")).result;
    expect(week.map(({ date, total }) => [date, total])).toEqual([
      ["2030-03-06", 1],
      ["2030-03-05", 6],
    ]);
  });

  test("a limit that does not exist, or a value that makes none, is refused in words", async () => {
    expect(await marketing.setLimits({ speed: 1 })).toHaveProperty("error");
    expect(await marketing.setLimits({ rate_calls: "many" })).toHaveProperty("error");
    expect(await marketing.setLimits({ accept_query_token: 1 })).toHaveProperty("error");
    expect(await marketing.setLimits({ token_life_seconds: null })).toHaveProperty("error");
    expect(await marketing.setLimits({ rate_calls: 7 })).toMatchObject({ limits: { rate_calls: 7 } });
  });
});

describe("calls in flight, counted without a network between", () => {
  const { id, secret } = fullClient;
  const tokenQuery = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;

  function callTo(path: string, query = "", authorization = ""): SandboxCall {
    const raw = { url: `${path}?${query}` } as SandboxCall["raw"];
    const headers = { authorization };
    return { method: "GET", path, query: new URLSearchParams(query), headers, body: Buffer.alloc(0), raw };
  }

  async function open() {
    const sandbox = createMarketingSandbox("http://127.0.0.1");
    const { body } = await sandbox.handle(callTo("/identity/oauth/token", tokenQuery));
    const { access_token: token } = body as { access_token: string };
    const arrive = () => {
      const call = callTo("/rest/v1/stats/usage.json", "", `Bearer ${token}`);
      return { call, leave: sandbox.arrive?.(call) };
    };
    const codeOf = async (call: SandboxCall) =>
      ((await sandbox.handle(call)).body as Partial<Envelope>).errors?.[0]?.code ?? "ok";
    return { sandbox, arrive, codeOf };
  }

  test("ten are let in, the eleventh is 615, and one that leaves makes room", async () => {
    const { sandbox, arrive, codeOf } = await open();
    const [first, ...others] = Array.from({ length: 10 }, arrive);
    const eleventh = arrive();
    expect(await codeOf(eleventh.call)).toBe("615");
    for (const { call } of others) expect(await codeOf(call)).toBe("ok");
    first?.leave?.();
    expect(await codeOf(arrive().call)).toBe("ok");
    expect(await codeOf(arrive().call)).toBe("615");
    sandbox.stop();
  });

  test("latency can be given to every call", async () => {
    const { sandbox, arrive, codeOf } = await open();
    sandbox.setLimits({ latency_ms: 1, concurrent_calls: 2 });
    const codes = await Promise.all([arrive(), arrive(), arrive()].map(({ call }) => codeOf(call)));
    expect(codes).toEqual(["ok", "ok", "615"]);
    expect(sandbox.handle(arrive().call)).toBeInstanceOf(Promise);
    sandbox.stop();
  });
});
