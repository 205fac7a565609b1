import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { failed, failureOf, outboundTo, serve, speak } from "../../test/support/processes/local-servers.ts";

describe("bounds", () => {
  test.each([
    ["gzip", gzipSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ])("50 MB packed with %s end as too large, and memory stays flat", async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(50 * 1024 * 1024));
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
      response.end(bomb);
    });
    const send = outboundTo(origin);
    expect(await failureOf(send())).toEqual(failed("too large", "maybe"));
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 5; round++) expect(await failureOf(send())).toEqual(failed("too large", "maybe"));
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  });

  test("more than 10 MiB without compression end as too large", async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200);
      for (let part = 0; part < 11; part++) response.write(Buffer.alloc(1024 * 1024));
      response.end();
    });
    expect(await failureOf(outboundTo(origin)())).toEqual(failed("too large", "maybe"));
  });

  test("exactly 10 MiB are accepted", async () => {
    const origin = await serve((_request, response) => response.end(Buffer.alloc(10 * 1024 * 1024, "a")));
    expect((await outboundTo(origin)()).bytes).toBe(10 * 1024 * 1024);
  });

  test("a ratio above 100 to 1 is refused below 10 MiB too, except for a small repetitive answer", async () => {
    const origin = await serve((request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(request.url === "/small" ? 500_000 : 5_000_000, "a")));
    });
    const send = outboundTo(origin);
    expect(await failureOf(send())).toEqual(failed("too large", "maybe"));
    expect((await send({ target: "/small" })).bytes).toBe(500_000);
  });

  test.each([
    [100, true],
    [101, false],
    [50_000, false],
  ])("JSON %i levels deep is accepted: %s", async (levels, taken) => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    });
    const sending = outboundTo(origin)();
    if (taken) expect((await sending).status).toBe(200);
    else expect(await failureOf(sending)).toEqual(failed("unreadable", "maybe"));
  });

  test("headers without end are too large", async () => {
    const send = outboundTo(await speak(`HTTP/1.1 200 OK\r\n${`x-a: ${"b".repeat(1000)}\r\n`.repeat(40)}\r\n`));
    expect(await failureOf(send())).toEqual(failed("too large", "maybe"));
  });
});
