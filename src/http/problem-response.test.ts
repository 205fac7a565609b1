import { describe, expect, test } from "vitest";
import { startTeam } from "../../test/support/team.ts";
import { Problem } from "../kernel/problem.ts";
import { StoreUnavailable, type UnavailableReason } from "../store/db.ts";
import { asProblem, fallbackResponse, toProblemResponse } from "./problem-response.ts";

/** "Errors are collected up to 100 and shortened." A refusal can always be written. */

const baseUrls = { us: "http://us.test", eu: "http://eu.test", au: "http://au.test" };
const written = (problem: Problem) => {
  const { body } = toProblemResponse(problem, "req_1", baseUrls, "us");
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024);
  return JSON.parse(body);
};

describe("a refusal is short", () => {
  test("of fifty thousand errors a hundred are shown, each shortened, and the rest is counted", () => {
    const detail = "one of ".repeat(10_000);
    const errors = Array.from({ length: 50_000 }, (_, index) => ({
      pointer: `#/items/${index}`,
      code: "enum",
      detail,
    }));
    const body = written(new Problem("validation_failed", "A value is not acceptable.", { errors }));
    expect(body.errors).toHaveLength(100);
    expect(body.errors_omitted).toBe(49_900);
    expect(body.errors[99].pointer).toBe("#/items/99");
    expect(body.errors[0].detail.length).toBeLessThanOrEqual(501);
  });

  test("errors that were left out before are counted with them", () => {
    const errors = [{ pointer: "#/a", code: "x", detail: "y" }];
    const body = written(new Problem("validation_failed", undefined, { errors, errorsOmitted: 7 }));
    expect([body.errors.length, body.errors_omitted]).toEqual([1, 7]);
    expect(written(new Problem("validation_failed", undefined, { errors }))).not.toHaveProperty("errors_omitted");
  });

  test("errors whose texts grow when written are left out completely", () => {
    const pointer = "\u0000".repeat(5_000);
    const errors = Array.from({ length: 100 }, () => ({ pointer, code: "x", detail: pointer }));
    const body = written(new Problem("validation_failed", "Said.", { errors }));
    expect(body).not.toHaveProperty("errors");
    expect(body).toMatchObject({ code: "validation_failed", detail: "Said.", errors_omitted: 100 });
  });

  test("neither its sentence nor its extra members make it long", () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => ({ index, text: "x".repeat(100_000) }));
    const body = written(new Problem("options_unavailable", "y".repeat(5_000_000), { more: { rows, last: 1 } }));
    expect(body.detail.length).toBe(2001);
    expect(body.code).toBe("options_unavailable");
  });

  test("the fallback response is JSON like all others", () => {
    const { status, body, headers } = fallbackResponse("req_1");
    expect(JSON.parse(body)).toMatchObject({ status, code: "internal", request_id: "req_1" });
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(body.length).toBeLessThan(600);
  });
});

test.each<[UnavailableReason, number, RegExp]>([
  ["unreachable", 503, /./],
  ["busy", 503, /Nothing was changed/],
  ["overloaded", 503, /Nothing was changed/],
  ["read-only", 503, /Nothing was changed/],
  ["damaged", 503, /./],
  ["full", 507, /./],
])("a store that is %s refuses with %i and the time to try again", (reason, status, detail) => {
  const problem = asProblem(new StoreUnavailable(reason, new Error("cause")));
  expect(problem).toMatchObject({ status, extras: { headers: { "retry-after": "5" } } });
  expect(problem.message).toMatch(detail);
});

test("a call with hundreds of wrong members gets a hundred errors", async () => {
  const team = await startTeam("sqlite");
  const rules = Array.from({ length: 150 }, () => ({ methods: "GET" }));
  const answer = await team.call("connections/con_us_none/update", { policy: { rules } }, team.inProject(team.owner));
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toHaveLength(100);
  expect(answer.body.errors_omitted).toBeGreaterThanOrEqual(50);
});
