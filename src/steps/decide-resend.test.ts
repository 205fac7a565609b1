import { describe, expect, test } from "vitest";
import type { Failure } from "../systems/work.ts";
import { SendFailed } from "../transport/outbound.ts";
import { decide, failureOfSending, type RetryState } from "./decide-resend.ts";

const fresh: RetryState = { failures: 0, waits: 0, freshToken: false, lost: false };
const time = { millisecondsLeft: 30_000, random: 0.5 };
const read = { effect: "read", idempotent: true } as const;
const trigger = { effect: "send", idempotent: false } as const;
const addToList = { effect: "update", idempotent: true } as const;

const failure = (more: Partial<Failure>): Failure => ({
  code: "system_unavailable",
  detail: "d",
  cure: "try again",
  done: "no",
  ...more,
});

// "Retries only where safe: by effect, idempotency and what is known of the failure".
describe("which requests are sent again", () => {
  test.each([
    ["a read that the system may have answered", read, failure({ done: "maybe" }), "again"],
    ["an idempotent write that may have happened", addToList, failure({ done: "maybe" }), "again"],
    ["a write that certainly did not happen", trigger, failure({ done: "no" }), "again"],
    ["a write that may have happened", trigger, failure({ done: "maybe" }), "fail"],
    ["a refusal that nothing helps", read, failure({ cure: "give up" }), "fail"],
  ] as const)("%s", (_name, request, met, expected) => {
    expect(decide(request, met, fresh, time).verdict).toBe(expected);
  });

  test("a write whose answer is lost ends as outcome_unknown, whatever the failure was called", () => {
    const decision = decide(trigger, failure({ code: "timed_out", done: "maybe", systemCode: "604" }), fresh, time);
    expect(decision).toMatchObject({
      verdict: "fail",
      failure: { code: "outcome_unknown", systemCode: "604", done: "maybe" },
    });
  });

  // "A write whose answer is lost ends as `outcome_unknown`": also one that may be repeated, if repeating did not help.
  test.each([
    ["no answer came to the last try either", failure({ code: "timed_out", done: "maybe" }), { failures: 2 }],
    ["the next try met a limit that would be free too late", failure({ cure: "wait", waitSeconds: 60 }), {}],
    ["the system could not be reached again", failure({ done: "no" }), { failures: 2 }],
  ])("a repeatable write with a lost answer stays unknown if %s", (_, met, tried) => {
    expect(decide(addToList, met, { ...fresh, ...tried, lost: true }, time)).toMatchObject({
      verdict: "fail",
      failure: { code: "outcome_unknown", done: "maybe" },
    });
    expect(decide(read, met, { ...fresh, ...tried, lost: true }, time)).toMatchObject({ failure: { code: met.code } });
  });

  test("a refusal of the repeated write is reported as that refusal", () => {
    const met = failure({ code: "invalid_there", cure: "give up" });
    expect(decide(addToList, met, { ...fresh, lost: true }, time)).toEqual({ verdict: "fail", failure: met });
  });

  test.each(["conflict_there", "not_found_there"] as const)(
    "a refusal of the repeated write that may be because of the first (%s) says nothing about it",
    (code) => {
      const met = failure({ code, cure: "give up" });
      expect(decide(addToList, met, fresh, time)).toEqual({ verdict: "fail", failure: met });
      const decision = decide(addToList, met, { ...fresh, lost: true }, time);
      expect(decision).toMatchObject({ verdict: "fail", failure: { code: "outcome_unknown" } });
    },
  );

  test("errors of the system to a repeatable write do not say that nothing was changed", () => {
    const decision = decide(addToList, failure({ done: "maybe" }), { ...fresh, failures: 2 }, time);
    expect(decision).toMatchObject({ failure: { code: "system_unavailable", remedy: expect.stringContaining("may") } });
  });

  test("a failing system is tried three times at most, with growing pauses", () => {
    const met = failure({ done: "no" });
    const pauses = [0, 1, 2].map((failures) => decide(read, met, { ...fresh, failures }, time));
    expect(pauses).toEqual([
      { verdict: "again", afterMilliseconds: 400, counts: "failure" },
      { verdict: "again", afterMilliseconds: 800, counts: "failure" },
      { verdict: "fail", failure: met },
    ]);
  });

  test("a refused token is replaced once", () => {
    const met = failure({ code: "authentication_failed", cure: "fresh token" });
    expect(decide(read, met, fresh, time)).toEqual({ verdict: "again", afterMilliseconds: 0, counts: "token" });
    expect(decide(read, met, { ...fresh, freshToken: true }, time)).toEqual({ verdict: "fail", failure: met });
  });

  test("a limit is waited for as long as the system says, if the call may wait that long", () => {
    const met = failure({ code: "rate_limited", cure: "wait", waitSeconds: 20 });
    const decision = decide(read, met, fresh, time);
    expect(decision).toEqual({ verdict: "again", afterMilliseconds: 20_125, counts: "wait" });
    expect(decide(read, met, fresh, { ...time, millisecondsLeft: 20_000 })).toEqual({ verdict: "fail", failure: met });
    expect(decide(read, met, { ...fresh, waits: 5 }, time)).toEqual({ verdict: "fail", failure: met });
  });
});

describe("no answer at all", () => {
  test.each([
    ["blocked", "no", "policy_denied", "give up"],
    ["unreachable", "no", "system_unavailable", "try again"],
    ["cut off", "maybe", "system_unavailable", "try again"],
    ["timed out", "maybe", "timed_out", "try again"],
    ["too large", "maybe", "response_too_large", "give up"],
    ["unreadable", "maybe", "system_unavailable", "give up"],
    ["redirected", "maybe", "invalid_there", "give up"],
  ] as const)("%s is reported as what it is", (reason, sent, code, cure) => {
    expect(failureOfSending(new SendFailed(reason, sent, "text"), read)).toMatchObject({ code, cure });
  });
});
