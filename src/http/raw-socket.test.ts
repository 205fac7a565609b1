import { describe, expect, test } from "vitest";
import { startApp, type TestApp } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectTo, listen, readAnswer, statusesIn } from "../../test/support/processes/raw-http.ts";

/** What no well-behaved client sends: the response is a refusal or a closed connection, and no other client notices. */

interface Listening {
  app: TestApp;
  port: number;
  /** The lines of a good call to auth/info, up to its body. */
  head: string;
}

async function startListening(): Promise<Listening> {
  const app = await startApp("sqlite");
  const { apiKey } = await app.person("owner@example.com");
  const head = `Host: signalbox\r\nContent-Type: application/json\r\nAuthorization: Bearer :${apiKey}\r\n`;
  return { app, port: await listen(app), head };
}

/** Another client, on its own connection, is still served. */
async function expectOthersServed({ port, head }: Listening): Promise<void> {
  const client = await connectTo(port);
  client.send(`POST /latest/auth/info HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
  expect(readAnswer(await client.closed()).status).toBe(200);
}

const call = (head: string, more = "Content-Length: 2\r\n", body = "{}"): string =>
  `POST /latest/auth/info HTTP/1.1\r\n${head}${more}\r\n${body}`;

describe("bytes that are not a request", () => {
  test.each<[string, (head: string) => string]>([
    ["no HTTP at all", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"],
    ["both framings", (head) => call(head, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")],
    ["two lengths", (head) => call(head, "Content-Length: 2\r\nContent-Length: 40\r\n")],
    ["a length that is no number", (head) => call(head, "Content-Length: +2\r\n")],
    ["an unknown framing", (head) => call(head, "Transfer-Encoding: chunked, identity\r\n")],
    ["a framing hidden behind white space", (head) => call(head, "Transfer-Encoding : chunked\r\n")],
    ["a chunk size that is none", (head) => call(head, "Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")],
    ["lines that end in LF alone", (head) => call(head).replaceAll("\r\n", "\n")],
    ["one header that ends in LF alone", (head) => call(head, "Content-Length: 2\nX-Smuggled: 1\r\n")],
    ["a header folded over two lines", (head) => call(head, "Content-Length: 2\r\nX-Folded: a\r\n b\r\n")],
    ["a header without a name", (head) => call(head, "Content-Length: 2\r\n: value\r\n")],
    ["no Host", (head) => call(head.replace("Host: signalbox\r\n", ""))],
    ["an unknown version", (head) => call(head).replace("HTTP/1.1", "HTTP/3.7")],
  ])("%s: 400, and the connection closes", async (_, bytes) => {
    const listening = await startListening();
    const client = await connectTo(listening.port);
    client.send(bytes(listening.head));
    const statuses = statusesIn(await client.closed());
    expect(statuses).toEqual([400]);
    await expectOthersServed(listening);
  });

  test("the refusal has the usual form", async () => {
    const { port } = await startListening();
    const client = await connectTo(port);
    client.send("GARBAGE\r\n\r\n");
    expectProblem(readAnswer(await client.closed()), "malformed_request");
  });

  test("a header of 100 kB is 431", async () => {
    const listening = await startListening();
    const client = await connectTo(listening.port);
    client.send(call(listening.head, `X-Long: ${"x".repeat(100_000)}\r\nContent-Length: 2\r\n`));
    expectProblem(readAnswer(await client.closed()), "headers_too_large");
    await expectOthersServed(listening);
  });

  test("a request hidden in the body of another is never run", async () => {
    const listening = await startListening();
    const { app, port, head } = listening;
    const { length: before } = await app.store.query("select id from api_keys");
    const hidden = `POST /latest/auth/keys/create HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`;
    for (const framing of [
      `Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n`,
      `Transfer-Encoding: chunked\r\nContent-Length: ${hidden.length + 5}\r\n`,
      "Content-Length: 0\r\nTransfer-Encoding:\x0bchunked\r\n",
      "Transfer-Encoding: xchunked\r\n",
    ]) {
      const client = await connectTo(port);
      client.send(call(head, framing, `0\r\n\r\n${hidden}`));
      expect(statusesIn(await client.closed())).toEqual([400]);
    }
    expect((await app.store.query("select id from api_keys")).length).toBe(before);
  });

  test("garbage behind an accepted call never replaces its response", async () => {
    const listening = await startListening();
    const client = await connectTo(listening.port);
    client.send(`${call(listening.head)}GARBAGE\r\n\r\n`);
    const statuses = statusesIn(await client.closed());
    expect([[], [200], [200, 400]]).toContainEqual(statuses);
    await expectOthersServed(listening);
  });
});

describe("unusual valid requests", () => {
  test("pipelined calls get their responses in order", async () => {
    const { port, head } = await startListening();
    const client = await connectTo(port);
    const wrong = call(head, "Content-Length: 1\r\n", "{");
    const last = call(head, "Connection: close\r\nContent-Length: 2\r\n");
    client.send(call(head) + wrong + call(head) + last);
    expect(statusesIn(await client.closed())).toEqual([200, 400, 200, 200]);
  });

  test("HTTP/1.0 is served, and the connection closes", async () => {
    const { port, head } = await startListening();
    const client = await connectTo(port);
    client.send(call(head).replace("HTTP/1.1", "HTTP/1.0"));
    expect(readAnswer(await client.closed()).status).toBe(200);
  });

  test.each([
    ["http://signalbox/latest/auth/info", 200],
    ["http://elsewhere.example/latest/auth/info", 200],
    ["http://elsewhere.example/nothing", 404],
    ["//elsewhere.example/latest/auth/info", 404],
    ["*", 405],
  ])("the target %s means this server and no other", async (target, status) => {
    const { port, head } = await startListening();
    const client = await connectTo(port);
    client.send(call(head, "Connection: close\r\nContent-Length: 2\r\n").replace("/latest/auth/info", target));
    expect(readAnswer(await client.closed()).status).toBe(status);
  });

  test("CONNECT opens no tunnel", async () => {
    const listening = await startListening();
    const client = await connectTo(listening.port);
    client.send("CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n");
    expect(statusesIn(await client.closed()).every((status) => status >= 400)).toBe(true);
    await expectOthersServed(listening);
  });
});

describe("slow and careless clients", () => {
  test("a hundred that never finish delay no other client, and each is served when it does finish", async () => {
    const listening = await startListening();
    const { port, head, app } = listening;
    // Time-outs end them at last; this test does not wait for those.
    expect(app.app.server.headersTimeout).toBe(15_000);
    expect(app.app.server.requestTimeout).toBe(30_000);
    const whole = call(head, "Connection: close\r\nContent-Length: 2\r\n");
    const slow = await Promise.all(Array.from({ length: 100 }, () => connectTo(port)));
    for (const [index, client] of slow.entries()) client.send(whole.slice(0, 10 + index));
    await expectOthersServed(listening);
    for (const [index, client] of slow.entries()) client.send(whole.slice(10 + index));
    for (const client of slow) expect(readAnswer(await client.closed()).status).toBe(200);
  });

  test("a client that disconnects during its body does not affect others", async () => {
    const listening = await startListening();
    for (let i = 0; i < 20; i++) {
      const client = await connectTo(listening.port);
      client.send(call(listening.head, "Expect: 100-continue\r\nContent-Length: 1000\r\n", ""));
      await client.received(/^HTTP\/1\.1 100 /);
      client.leave();
    }
    await expectOthersServed(listening);
    expect(listening.app.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("a client that sends far too much can still read the refusal", async () => {
    const listening = await startListening();
    const client = await connectTo(listening.port);
    const megabytes = 8;
    client.send(call(listening.head, `Content-Length: ${megabytes * 1_048_576}\r\n`, ""));
    for (let i = 0; i < megabytes; i++) client.send("x".repeat(1_048_576));
    expectProblem(readAnswer(await client.closed()), "payload_too_large");
    await expectOthersServed(listening);
  });
});
