import { expect } from "vitest";
import { contractVersion } from "../../../src/http/contract-version.ts";
import { type ProblemCode, problems } from "../../../src/kernel/problem.ts";

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the members of a problem are looked at one by one below.
  body: any;
  text: string;
  headers: Record<string, unknown>;
}

// A stack frame, a file of ours, or the start of a statement.
const innards = /\bat \S+ \(|\.ts:\d|node_modules|\bselect\s.+\sfrom\b|\binsert into\b|\bsqlite|\bpostgres/i;

/** "Headers on every response: X-Request-Id, Cache-Control: no-store, X-Content-Type-Options: nosniff, Signalbox-Version". */
export function expectCommonHeaders(headers: Answer["headers"]): void {
  expect(headers["x-request-id"]).toMatch(/^req_[0-9A-Za-z]+$/);
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["signalbox-version"]).toBe(contractVersion);
}

/** A refusal as RFC 9457 and our own page define it: every member, the right challenge, and no internals. */
export function expectProblem(answer: Answer, code: ProblemCode): void {
  const { status, body, text, headers } = answer;
  const entry = problems[code];
  expect({ status, code: body.code }).toEqual({ status: entry.status, code });
  expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
  expectCommonHeaders(headers);
  const requestId = headers["x-request-id"];
  expect(body).toMatchObject({
    title: entry.title,
    status,
    request_id: requestId,
    instance: `urn:signalbox:request:${requestId}`,
    detail: expect.stringMatching(/\S/),
  });
  expect(URL.canParse(body.type)).toBe(true);
  expect(text).not.toMatch(innards);
  expect("www-authenticate" in headers).toBe(status === 401);
}
