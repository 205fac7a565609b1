import { createServer, type IncomingMessage } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { failed, failureOf, listen, outboundTo, serve, speak } from "../../test/support/processes/local-servers.ts";

describe("an answer", () => {
  test("JSON is parsed, whatever the status, and the request arrives as it was given", async () => {
    const seen: { url?: string | undefined; headers?: IncomingMessage["headers"]; body?: string } = {};
    const origin = await serve(async (request, response) => {
      const parts = await request.toArray();
      Object.assign(seen, { url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(418, { "Content-Type": "application/problem+json; charset=utf-8", "X-Left": "3" });
      response.end('{"ok":[1,"ü"]}');
    });
    const send = outboundTo(origin);
    const answer = await send({ method: "POST", target: "/a?b=c", headers: { authorization: "Bearer t" }, body: "{}" });
    expect(answer).toMatchObject({ status: 418, body: { ok: [1, "ü"] }, bytes: 15 });
    expect(answer.headers["x-left"]).toBe("3");
    expect(seen).toMatchObject({ url: "/a?b=c", body: "{}" });
    expect(seen.headers).toMatchObject({
      authorization: "Bearer t",
      "accept-encoding": "gzip, br",
      "user-agent": "signalbox",
      "content-length": "2",
      host: origin.slice("http://".length),
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("compressed with %s is decompressed", async (encoding, compress) => {
    const text = JSON.stringify({ rows: Array.from({ length: 5000 }, (_, index) => `row ${index}`) });
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
      response.end(compress(text));
    });
    const answer = await outboundTo(origin)();
    expect(answer.body).toEqual(JSON.parse(text));
    expect(answer.bytes).toBe(text.length);
    expect(answer.headers).not.toHaveProperty("content-encoding");
    expect(answer.headers).not.toHaveProperty("content-length");
  });

  test("cookies of the account are not returned", async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(
        200,
        [
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["Link", "<1>"],
          ["Link", "<2>"],
        ].flat(),
      );
      response.end();
    });
    const { headers } = await outboundTo(origin)();
    expect(headers).not.toHaveProperty("set-cookie");
    expect(headers.link).toBe("<1>, <2>");
  });

  test.each([
    ["invalid JSON stays text", "application/json", '{"a":', '{"a":'],
    ["an empty body stays text", "application/json", "", ""],
    ["a byte order mark is not part of JSON", "application/json", '\uFEFF{"a":1}', { a: 1 }],
    ["what does not say JSON is text", "text/plain", '{"a":1}', '{"a":1}'],
  ])("%s", async (_name, contentType, text, body) => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-type": contentType });
      response.end(text);
    });
    expect((await outboundTo(origin)()).body).toEqual(body);
  });

  test("a thousand calls go over the same few connections", async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end("ok"));
    server.on("connection", () => connections++);
    const send = outboundTo(await listen(server));
    for (let round = 0; round < 100; round++) await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(connections).toBeLessThanOrEqual(20);
  });

  test("in ten thousand tiny chunks is assembled", async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
    const send = outboundTo(await speak(`${head}${"1\r\nx\r\n".repeat(10_000)}0\r\n\r\n`));
    expect((await send()).body).toBe("x".repeat(10_000));
  });

  test("to HEAD has no body, even with a Content-Length", async () => {
    const origin = await serve((_request, response) => response.writeHead(200, { "content-length": 50_000_000 }).end());
    expect(await outboundTo(origin)({ method: "HEAD" })).toMatchObject({ status: 200, body: "", bytes: 0 });
  });
});

describe("redirects", () => {
  const redirecting = (to: (url: string) => { status?: number; location: string } | null) => {
    const seen: { url: string | undefined; authorization: string | undefined }[] = [];
    const origin = serve((request, response) => {
      seen.push({ url: request.url, authorization: request.headers.authorization });
      const next = to(request.url ?? "");
      if (next) response.writeHead(next.status ?? 302, { location: next.location }).end("elsewhere");
      else response.end("here");
    });
    return { origin, seen };
  };
  const headers = { authorization: "Bearer t" };

  test("to the same origin are followed for GET, with the same headers", async () => {
    const { origin, seen } = redirecting((url) => (url === "/x" ? { location: "/y?z=1#part" } : null));
    expect((await outboundTo(await origin)({ headers })).body).toBe("here");
    expect(seen).toEqual([
      { url: "/x", authorization: "Bearer t" },
      { url: "/y?z=1", authorization: "Bearer t" },
    ]);
  });

  test("more than three in a row end the call", async () => {
    const { origin, seen } = redirecting((url) => ({ location: `${url}x` }));
    expect(await failureOf(outboundTo(await origin)())).toEqual(failed("redirected", "maybe"));
    expect(seen.length).toBe(4);
  });

  test.each([301, 302, 303, 307, 308])("a write that is answered %i is not repeated", async (status) => {
    const { origin, seen } = redirecting((url) => (url === "/x" ? { status, location: "/y" } : null));
    const sending = outboundTo(await origin)({ method: "POST", body: "{}" });
    expect(await failureOf(sending)).toEqual(failed("redirected", "maybe"));
    expect(seen.length).toBe(1);
  });

  test("to another origin end the call: nothing is sent there, and the message names only the origin", async () => {
    let arrived = 0;
    const other = createServer((_request, response) => response.end());
    other.on("connection", () => arrived++);
    const elsewhere = await listen(other);
    const locations = [
      `${elsewhere}/a?token=c4n4ry`,
      `//${elsewhere.slice(7)}/c4n4ry`,
      `https://user:c4n4ry@evil.example/`,
    ];
    for (const location of locations) {
      const { origin } = redirecting(() => ({ status: 307, location }));
      const failure = await failureOf(
        outboundTo(await origin, { privateOrigins: [await origin, elsewhere] })({ headers }),
      );
      expect(failure).toEqual(failed("redirected", "maybe"));
      expect(failure.message).not.toContain("c4n4ry");
    }
    expect(arrived).toBe(0);
  });

  test("304, and a redirect without a Location, are answers", async () => {
    const origin = await serve((request, response) => response.writeHead(request.url === "/x" ? 304 : 302).end());
    const send = outboundTo(origin);
    expect((await send()).status).toBe(304);
    expect((await send({ target: "/y" })).status).toBe(302);
  });
});
