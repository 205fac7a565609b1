import { describe, expect, test } from "vitest";
import { lastLines } from "./build-log.ts";

describe("a build's log", () => {
  const flat = [
    { type: "stderr", serial: "2", text: "second" },
    { type: "stdout", serial: "1", text: "first" },
    { type: "exit", serial: "3", text: "1" },
  ];
  const answer = (body: unknown) => ({ status: 200, headers: {}, body, bytes: 0 });
  test.each([
    ["an array", flat],
    ["items with a payload", flat.map(({ type, ...payload }) => ({ type, payload }))],
    ["a line of JSON each", flat.map((event) => JSON.stringify(event)).join("\n")],
  ])("is read in order from %s", (_, body) => expect(lastLines(answer(body))).toEqual(["first", "second"]));

  test("is cut to its last lines", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      type: "stdout",
      serial: String(index).padStart(6, "0"),
      text: `line ${index}`,
    }));
    expect(lastLines(answer(many))).toHaveLength(20);
    expect(lastLines(answer(many)).at(-1)).toBe("line 199");
    expect(lastLines(answer({}))).toEqual([]);
  });
});
