import { describe, expect, test } from "vitest";
import type { Failure } from "../systems/work.ts";
import { SendFailed } from "../transport/outbound.ts";
import { decide, failureOfSending, type RetryState } from "./decide-resend.ts";

const fresh: RetryState = { failures: 0, waits: 0, freshToken: false };
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
    expect(decide(request, met, fresh, time) === "give up").toBe(expected === "fail");
  });

  test("a failing system is tried three times at most, with growing pauses", () => {
    const met = failure({ done: "no" });
    const pauses = [0, 1, 2].map((failures) => decide(read, met, { ...fresh, failures }, time));
    expect(pauses).toEqual([
      { afterMilliseconds: 400, counts: "failure" },
      { afterMilliseconds: 800, counts: "failure" },
      "give up",
    ]);
  });

  test("a refused token is replaced once", () => {
    const met = failure({ code: "authentication_failed", cure: "fresh token" });
    expect(decide(read, met, fresh, time)).toEqual({ afterMilliseconds: 0, counts: "token" });
    expect(decide(read, met, { ...fresh, freshToken: true }, time)).toBe("give up");
  });

  test("a limit is waited for as long as the system says, if the call may wait that long", () => {
    const met = failure({ code: "rate_limited", cure: "wait", waitSeconds: 20 });
    const decision = decide(read, met, fresh, time);
    expect(decision).toEqual({ afterMilliseconds: 20_125, counts: "wait" });
    expect(decide(read, met, fresh, { ...time, millisecondsLeft: 20_000 })).toBe("give up");
    expect(decide(read, met, { ...fresh, waits: 5 }, time)).toBe("give up");
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
