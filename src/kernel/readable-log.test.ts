import { expect, test } from "vitest";
import { createLogs } from "./log.ts";
import { readableLines } from "./readable-log.ts";

/** "Logs readable on a terminal and JSON elsewhere, with the problem's code." */

const request = {
  request_id: "req_1",
  region: "us",
  operation: "projects/get",
  status: 403,
  code: "permission_denied",
  ms: 1.25,
  user_id: "usr_us_1",
  ip: "10.0.0.1",
};

test("a request is one JSON line with the problem's code, and one readable line on a terminal", () => {
  const json: string[] = [];
  createLogs("info", { write: (line) => void json.push(line) }).requestLog(request);
  expect(JSON.parse(json[0] ?? "")).toMatchObject({ msg: "request", status: 403, code: "permission_denied" });
  const text: string[] = [];
  createLogs("info", readableLines({ write: (line) => void text.push(line) }, false)).requestLog(request);
  expect(text.join("")).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}403 projects\/get permission_denied 1\.25 ms request_id=req_1 region=us user_id=usr_us_1\n$/,
  );
});

test("an error shows its stack on indented lines, and text of others cannot control the terminal", () => {
  const text: string[] = [];
  const { log } = createLogs("info", readableLines({ write: (line) => void text.push(line) }, true));
  log.error({ err: new Error("broken \u001b[2J\u0007"), detail: "a\u001b]0;title\u0007b" }, "failed");
  const [first = "", second = "", third = ""] = text.join("").split("\n");
  expect(first).toContain("failed");
  expect(second).toMatch(/^ {4}Error: broken/);
  expect(third).toMatch(/^ {8}at /);
  const [escapeCode, bell] = ["\u001b", "\u0007"];
  const withoutColors = text.join("").replaceAll(/.\[(0|31|90)m/g, (code) => (code.startsWith(escapeCode) ? "" : code));
  for (const control of [escapeCode, bell]) expect(withoutColors).not.toContain(control);
});
