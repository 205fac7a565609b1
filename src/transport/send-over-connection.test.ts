import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createRawServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { freePort } from "../../test/support/processes/free-ports.ts";
import { failed, failureOf, listen, outboundTo, serve, speak } from "../../test/support/processes/local-servers.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { createOutbound, type SendFailed } from "./outbound.ts";

describe("time", () => {
  test("an answer that does not start", async () => {
    const send = outboundTo(await serve(() => {}));
    expect(await failureOf(send({ headersMilliseconds: 50 }))).toEqual(failed("timed out", "maybe"));
  });

  test("an answer that stops in the middle", async () => {
    const origin = await serve((_request, response) => response.write("begun"));
    const send = outboundTo(origin, { bodyIdleMilliseconds: 50 });
    expect(await failureOf(send())).toEqual(failed("timed out", "maybe"));
  });

  test("an answer that drips forever ends with the total time-out", async () => {
    const origin = await serve((_request, response) => {
      const drip = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(drip));
    });
    expect(await failureOf(outboundTo(origin)({ totalMilliseconds: 100 }))).toEqual(failed("timed out", "maybe"));
  });

  test("an aborted call ends at once and closes its connection", async () => {
    const controller = new AbortController();
    const server = createServer(() => controller.abort());
    const gone = once(server, "connection").then(([socket]) => once(socket as Socket, "close"));
    const send = outboundTo(await listen(server));
    expect(await failureOf(send({ signal: controller.signal }))).toEqual(failed("cut off", "maybe"));
    await gone;
  });

  test("a call that was aborted earlier is not sent", async () => {
    let calls = 0;
    const send = outboundTo(await serve(() => calls++));
    expect(await failureOf(send({ signal: AbortSignal.abort() }))).toEqual(failed("cut off", "no"));
    expect(calls).toBe(0);
  });
});

describe("whether a request may still be sent", () => {
  const post = { method: "POST", body: "{}" };

  test("is checked when its connection is open, after all waiting", async () => {
    const arrived: (string | undefined)[] = [];
    const answers: (() => void)[] = [];
    const origin = await serve((request, response) => {
      arrived.push(request.url);
      answers.push(() => response.end());
    });
    const send = outboundTo(origin);
    const taken = Array.from({ length: 128 }, () => send({ target: "/taken" }));
    await expect.poll(() => answers.length).toBe(128);
    let asked = 0;
    let isHeld = true;
    const mayBegin = () => {
      asked++;
      return isHeld;
    };
    const waiting = failureOf(send({ ...post, target: "/late", mayBegin }));
    isHeld = false;
    expect(asked).toBe(0);
    for (const answer of answers) answer();
    await Promise.all(taken);
    expect(await waiting).toEqual(failed("timed out", "no"));
    expect([asked, arrived.includes("/late")]).toEqual([1, false]);
  });

  test("a request that may be sent is sent", async () => {
    const send = outboundTo(await serve((_request, response) => response.end("done")));
    expect((await send({ ...post, mayBegin: () => true })).status).toBe(200);
  });
});

describe("what is known of a request without an answer", () => {
  test("no server listens: it was not sent", async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    expect(await failureOf(outboundTo(origin)())).toEqual(failed("unreachable", "no"));
  });

  test("the name has no address: it was not sent", async () => {
    const outbound = createOutbound({
      privateOrigins: [],
      resolve: () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
    });
    cleanUpLater(() => outbound.close());
    const sending = outbound.send({ origin: "https://nowhere.example", method: "GET", target: "/", headers: {} });
    expect(await failureOf(sending)).toEqual(failed("unreachable", "no"));
  });

  test("the other side does not speak TLS: it was not sent", async () => {
    const origin = (await serve(() => {})).replace("http:", "https:");
    expect(await failureOf(outboundTo(origin)())).toEqual(failed("unreachable", "no"));
  });

  test("no connection opens in time: it was not sent", async () => {
    // The port takes the connection and says nothing, so the TLS handshake never ends.
    const origin = (await listen(createRawServer())).replace("http:", "https:");
    const send = outboundTo(origin, { connectMilliseconds: 50 });
    expect(await failureOf(send())).toEqual(failed("unreachable", "no"));
    const patient = outboundTo(origin, { connectMilliseconds: 200 });
    expect(await failureOf(patient({ totalMilliseconds: 50 }))).toEqual(failed("timed out", "no"));
  });

  test("all connections are busy until the time-out: it was not sent", async () => {
    const arrived = new Set<string | undefined>();
    const send = outboundTo(await serve((request) => arrived.add(request.url)));
    const controller = new AbortController();
    const waiting = Array.from({ length: 128 }, () => failureOf(send({ signal: controller.signal })));
    const late = await failureOf(send({ target: "/late", totalMilliseconds: 100 }));
    expect(late).toEqual(failed("timed out", "no"));
    controller.abort();
    await Promise.all(waiting);
    expect(arrived.has("/late")).toBe(false);
  });

  test("a header that cannot be sent: it was not sent", async () => {
    let calls = 0;
    const send = outboundTo(await serve(() => calls++));
    for (const headers of [
      { "x-a": "b\r\nc: d" },
      { "x a": "b" },
      { host: "evil" },
      { "Transfer-Encoding": "chunked" },
    ]) {
      expect(await failureOf(send({ headers: headers as Record<string, string> }))).toEqual(failed("blocked", "no"));
    }
    expect(calls).toBe(0);
  });

  test.each([
    ["without a word", ""],
    ["in the headers", "HTTP/1.1 200 OK\r\ncontent-"],
    ["in the body", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"],
    [
      "in the body, with the connection to be closed",
      "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\nshort",
    ],
    [
      "between chunks, with the connection to be closed",
      "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n",
    ],
    ["between chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n"],
  ])("the connection is reset %s: it may have been sent", async (_where, bytes) => {
    const send = outboundTo(await speak(bytes, (socket) => socket.resetAndDestroy()));
    expect(await failureOf(send({ method: "POST", body: "{}" }))).toEqual(failed("cut off", "maybe"));
    const polite = outboundTo(await speak(bytes, (socket) => socket.end()));
    expect(await failureOf(polite({ method: "POST", body: "{}" }))).toEqual(failed("cut off", "maybe"));
  });

  // "Words on screen are plain …, never a bare code."
  test("the sentence is for people, without a code of a library", async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const cut = (bytes: string) => speak(bytes, (socket) => socket.resetAndDestroy());
    const plain = await serve(() => {});
    const silent = await listen(createRawServer());
    const sentences = [
      outboundTo(nowhere),
      outboundTo(plain.replace("http:", "https:")),
      outboundTo(silent.replace("http:", "https:"), { connectMilliseconds: 50 }),
      outboundTo(await cut("")),
      outboundTo(await cut("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")),
      outboundTo(await speak("SSH-2.0-OpenSSH\r\n\r\n")),
    ].map(async (send) => (await failureOf(send())).message);
    expect(await Promise.all(sentences)).toEqual([
      "The system cannot be reached: it accepts no connection.",
      "The system cannot be reached: it does not speak TLS at this address.",
      "The system cannot be reached: no connection opened in time.",
      "The connection closed before the response arrived.",
      "The connection closed before the response was complete.",
      "The response is not valid HTTP.",
    ]);
  });

  test.each([
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ])("an answer with two lengths is refused", async (bytes) => {
    expect((await failureOf(outboundTo(await speak(bytes))())).sent).toBe("maybe");
  });

  test("a body longer than its Content-Length is cut there", async () => {
    const send = outboundTo(await speak("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabcd"));
    expect((await send()).body).toBe("ab");
  });

  test.each([
    ["no HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["a chunk without size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
  ])("the answer is no valid HTTP, %s: unreadable", async (_what, bytes) => {
    expect(await failureOf(outboundTo(await speak(bytes))())).toEqual(failed("unreadable", "maybe"));
  });

  test.each([
    ["cut short", "gzip", gzipSync("some text that is long enough").subarray(0, 20)],
    ["not compressed at all", "gzip", Buffer.from("plain")],
    ["cut short", "br", brotliCompressSync("some text that is long enough").subarray(0, 10)],
    ["in an unknown way", "zstd", Buffer.from("plain")],
    ["twice", "gzip, gzip", gzipSync(gzipSync("text"))],
  ])("a compressed answer that is %s (%s) is unreadable", async (_what, encoding, bytes) => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(bytes);
    });
    expect(await failureOf(outboundTo(origin)())).toEqual(failed("unreadable", "maybe"));
  });
});

describe("a connection that the server closes between two calls", () => {
  test("is replaced without the caller noticing", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    let calls = 0;
    const server = createServer((_request, response) => {
      calls++;
      response.end("ok", () => response.socket?.destroySoon());
    });
    server.on("connection", (socket: Socket) => {
      closed = once(socket, "close");
    });
    const send = outboundTo(await listen(server));
    for (let round = 0; round < 20; round++) {
      expect((await send({ method: "POST", body: "{}" })).body).toBe("ok");
      await closed;
    }
    expect(calls).toBe(20);
  });

  test("never causes a write to be sent twice: the server sees each call at most once", async () => {
    const seen = new Map<string, number>();
    const server = createServer((request, response) => {
      const id = request.url ?? "";
      seen.set(id, (seen.get(id) ?? 0) + 1);
      response.end("ok");
      // Closed together with the answer, without a `Connection: close` header.
      if (seen.size % 3 === 0) setImmediate(() => response.socket?.resetAndDestroy());
    });
    const send = outboundTo(await listen(server));
    const outcomes: string[] = [];
    for (let round = 0; round < 300; round++) {
      const target = `/call/${round}`;
      const outcome = await send({ method: "POST", target, body: "{}" }).then(
        () => "answered",
        (error: SendFailed) => error.sent,
      );
      outcomes.push(outcome);
      const times = seen.get(target) ?? 0;
      if (outcome === "answered") expect(times).toBe(1);
      if (outcome === "no") expect(times).toBe(0);
      expect(times).toBeLessThanOrEqual(1);
    }
    expect(outcomes.filter((outcome) => outcome === "answered").length).toBeGreaterThan(150);
  });
});
