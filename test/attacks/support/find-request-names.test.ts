import { expect, test } from "vitest";
import { cookieNames, headersRead, headersReadIn, queryNames } from "./find-request-names.ts";

/** `hostile/request-head.ts` sends to what is found here, so what is missed here is not attacked. */

test("a header is found however it is read", () => {
  const text = [
    'const a = request.headers["x-one"] ?? headers.two;',
    'const { three, "x-four": four = "" } = request.raw.headers;',
    "const parentIn = ({ five, six }: IncomingHttpHeaders) => five ?? six;",
    'const seven = request.header("x-seven") + header("x-other") + reply.header("x-answer");',
    "const other = bodies.two + titles['x-eight'];",
  ].join("\n");
  expect(headersReadIn("x.ts", text)).toEqual(["five", "six", "three", "two", "x-four", "x-one", "x-seven"]);
});

test("headers, cookies and query parameters are found where the server reads them", () => {
  const headers = [
    "authorization",
    "cookie",
    "idempotency-key",
    "if-match",
    "mcp-session-id",
    "traceparent",
    "user-agent",
  ];
  expect(headersRead()).toEqual(expect.arrayContaining([...headers, "x-vercel-signature", "sec-fetch-site", "origin"]));
  expect(headersRead()).not.toContain("set-cookie");
  expect(cookieNames()).toEqual(expect.arrayContaining(["__Host-sb_session_us", "__Host-sb_sso_us", "sb_connect_us"]));
  expect(queryNames()).toEqual(
    expect.arrayContaining(["state", "code", "provider", "email", "next", "error", "iss", "go"]),
  );
});
