import { Signalbox, type SignalboxProblem } from "signalbox/client";
import { describe, expect, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { SignalboxProblem as Refused } from "../../src/client/problem.ts";
import { readRetryAfter, retryDelay } from "../../src/client/retry.ts";

/** "Retries that respect Idempotency-Key, Retry-After and effects", against servers and networks that fail. */

interface Sent {
  url: string;
  key: string | null;
}

const problem =
  (status: number, code: string, headers: Record<string, string> = {}, more: object = {}) =>
  () =>
    new Response(JSON.stringify({ code, detail: code, ...more }), { status, headers });
const soon = { "retry-after": "0" };
const done = () => Response.json({ run_id: "run_us_1" });
const cut = (): Response => {
  throw new TypeError("fetch failed");
};

/** A client whose network responds with one of these after the other. */
function clientOn(responses: (() => Response)[], more: { baseUrl?: string; timeoutMs?: number } = {}) {
  const sent: Sent[] = [];
  const network = async (url: unknown, init?: RequestInit): Promise<Response> => {
    init?.signal?.throwIfAborted();
    sent.push({ url: String(url), key: new Headers(init?.headers).get("idempotency-key") });
    return (responses[sent.length - 1] ?? cut)();
  };
  const options = { baseUrl: "http://us.test", apiKey: "k", projectId: "p", ...more };
  return { sent, signalbox: new Signalbox({ ...options, fetch: network as typeof fetch }) };
}

const refusalOf = (call: Promise<unknown>): Promise<SignalboxProblem> =>
  call.then(
    () => Promise.reject(new Error("It was not refused.")),
    (error) => error,
  );

describe("a call that fails for a while", () => {
  test("is sent again after Retry-After, each time with the same Idempotency-Key", async () => {
    const { signalbox, sent } = clientOn([
      problem(429, "rate_limited", soon),
      problem(503, "unavailable", soon),
      problem(409, "idempotency_in_progress", soon),
      done,
    ]);
    expect(await signalbox.tools.triggerAsync("tol_us_1")).toEqual({ run_id: "run_us_1" });
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).not.toBe("");
  });

  test("is given up after four attempts, and at once where Retry-After asks for more than 30 seconds", async () => {
    const busy = problem(503, "unavailable", soon);
    const four = clientOn([busy, busy, busy, busy, done]);
    expect((await refusalOf(four.signalbox.info())).code).toBe("unavailable");
    expect(four.sent).toHaveLength(4);
    const long = clientOn([problem(429, "rate_limited", { "retry-after": "31" }), done]);
    expect(await refusalOf(long.signalbox.info())).toMatchObject({ code: "rate_limited", retryAfterSeconds: 31 });
    expect(long.sent).toHaveLength(1);
  });

  test.each([
    [400, "malformed_request"],
    [404, "run_not_found"],
    [409, "tool_changed"],
    [500, "internal"],
    [507, "storage_full"],
  ])("is not sent again after %i %s", async (status, code) => {
    const { signalbox, sent } = clientOn([problem(status, code, soon), done]);
    expect(await refusalOf(signalbox.runs.get("run_us_1"))).toMatchObject({ status, code });
    expect(sent).toHaveLength(1);
  });

  test("reads Retry-After as seconds, and as a date", () => {
    expect(readRetryAfter("7")).toBe(7);
    expect(readRetryAfter(null)).toBeNull();
    expect(readRetryAfter("soon")).toBeNull();
    expect(readRetryAfter(new Date(0).toUTCString())).toBe(0);
    expect(readRetryAfter(new Date(Date.now() + 600_000).toUTCString())).toBeGreaterThan(500);
  });
});

describe("a call whose response was lost", () => {
  const lost = new Refused(0, { code: "unreachable" });
  const refused = new Refused(503, { code: "unavailable" });

  test("is repeated where its key makes that safe, and not where the operation ignores the key", () => {
    for (const { path, needs } of operations) {
      const again = retryDelay(path, lost, 1) !== null;
      expect([path, again]).toEqual([path, needs !== "nobody"]);
      expect([path, retryDelay(path, refused, 1)]).toEqual([path, expect.any(Number)]);
    }
  });

  test("does not sign in twice", async () => {
    const { signalbox, sent } = clientOn([cut, done]);
    const signIn = signalbox.signIn.password({ email: "ada@example.com", password: "secret" });
    expect(await refusalOf(signIn)).toMatchObject({ code: "unreachable", status: 0 });
    expect(sent).toHaveLength(1);
  });
});

describe("an address", () => {
  test("of something else than Signalbox is a problem with a sentence, whatever its status", async () => {
    for (const status of [200, 404]) {
      const page = () => new Response("<!doctype html>", { status });
      const error = await refusalOf(clientOn([page]).signalbox.info());
      expect(error).toMatchObject({ name: "SignalboxProblem", code: "unreadable", status });
      expect(error.remedy).toContain("address");
    }
  });

  test("of another region is followed once, for a key that is then used there", async () => {
    const elsewhere = problem(421, "wrong_region", {}, { base_url: "http://eu.test/" });
    const { signalbox, sent } = clientOn([problem(503, "unavailable", soon), elsewhere, done, done]);
    await signalbox.info();
    await signalbox.info();
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(["us.test", "us.test", "eu.test", "eu.test"]);
    const loop = problem(421, "wrong_region", {}, { base_url: "http://au.test" });
    const circle = clientOn([elsewhere, loop, done]);
    expect((await refusalOf(circle.signalbox.info())).code).toBe("wrong_region");
  });

  test("is never left for one without TLS: the key would travel in the open", async () => {
    const elsewhere = problem(421, "wrong_region", {}, { base_url: "http://eu.test" });
    const { signalbox, sent } = clientOn([elsewhere, done], { baseUrl: "https://us.test" });
    expect((await refusalOf(signalbox.info())).status).toBe(421);
    expect(sent).toHaveLength(1);
  });
});

describe("a call that is ended", () => {
  const waits = problem(503, "unavailable", { "retry-after": "30" });

  test("by its signal stops waiting for the next attempt, with the signal's reason", async () => {
    const { signalbox, sent } = clientOn([waits, done]);
    const stop = new AbortController();
    const call = refusalOf(signalbox.info({}, { signal: stop.signal }));
    await expect.poll(() => sent.length).toBe(1);
    stop.abort(new Error("enough"));
    expect((await call).message).toBe("enough");
  });

  test("by timeoutMs, of the call or of the client, counts its retries too", async () => {
    for (const [more, options] of [
      [{}, { timeoutMs: 20 }],
      [{ timeoutMs: 20 }, {}],
    ] as const) {
      const { signalbox } = clientOn([waits, done], more);
      expect((await refusalOf(signalbox.info({}, options))).name).toBe("TimeoutError");
    }
  });
});
