import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { serve } from "../../test/support/local-servers.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { createOutbound } from "./outbound.ts";

const half = Buffer.alloc(512 * 1024, "a");
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function start(answer: (response: ServerResponse, url: string) => void) {
  const origin = await serve((request, response) => answer(response, request.url ?? ""));
  const outbound = createOutbound({ privateOrigins: [origin] });
  cleanUpLater(() => outbound.close());
  const ask = (organizationId: string, target = "/") =>
    outbound.send({ origin, method: "GET", target, headers: {}, principal: { organizationId } });
  return { ask };
}

/** "Nothing that a tenant or an external system chooses may take more memory than its cap." */
describe("large answers", () => {
  test("an organization has four at a time; further ones wait until one of those ends", async () => {
    const open: ServerResponse[] = [];
    const most = Buffer.alloc(9 * 1024 * 1024, "a");
    const { ask } = await start((response) => {
      response.write(most);
      open.push(response);
    });
    const answers = Array.from({ length: 12 }, () => ask("one"));
    const taken = () => open.filter((response) => response.writableLength === 0).length;
    await expect.poll(() => ({ begun: open.length, taken: taken() })).toEqual({ begun: 12, taken: 4 });
    for (const response of open) response.end();
    for (const { bytes } of await Promise.all(answers)) expect(bytes).toBe(most.length);
  });

  test("large answers that one organization holds open delay neither another's answers nor its own small ones", async () => {
    const open: ServerResponse[] = [];
    const { ask } = await start((response, url) => {
      if (url === "/small") return void response.end("ok");
      if (url === "/large") return void response.end(Buffer.concat([half, half]));
      response.write(half);
      open.push(response);
    });
    const held = Array.from({ length: 8 }, () => ask("one"));
    while (open.length < 8) await turn();
    expect((await ask("one", "/small")).body).toBe("ok");
    expect((await ask("two", "/large")).bytes).toBe(2 * half.length);
    for (const response of open) response.end();
    await Promise.all(held);
  });

  test("a compressed answer is counted before it is decompressed", async () => {
    const open: ServerResponse[] = [];
    const text = Array.from({ length: 60_000 }, (_, index) => index).join();
    const packed = gzipSync(text);
    const { ask } = await start((response, url) => {
      if (url === "/packed") return void response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
      if (url === "/small") return void response.end("ok");
      response.write(half);
      open.push(response);
    });
    const held = Array.from({ length: 4 }, () => ask("one"));
    while (open.length < 4 || open.some((response) => response.writableLength > 0)) await turn();
    let isRead = false;
    const unpacked = ask("one", "/packed").finally(() => {
      isRead = true;
    });
    for (let i = 0; i < 20; i++) await ask("one", "/small");
    expect(isRead).toBe(false);
    for (const response of open) response.end();
    expect((await unpacked).bytes).toBe(text.length);
    await Promise.all(held);
  });

  test.each([257, 300, 2000])(
    "one of %s KiB that waits for its caller's memory arrives whole, though the system has closed the connection",
    async (kibibytes) => {
      const text = Buffer.alloc(kibibytes * 1024, "a");
      const closed = Promise.withResolvers<void>();
      const origin = await serve((request, response) => {
        request.socket.once("close", () => closed.resolve());
        response.writeHead(200, { "content-length": text.length }).end(text, () => request.socket.destroySoon());
      });
      const outbound = createOutbound({ privateOrigins: [origin] });
      cleanUpLater(() => outbound.close());
      const [asked, room] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let reserved = 0;
      const memory = {
        reserve(bytes: number) {
          asked.resolve();
          return room.promise.then(() => {
            reserved += bytes;
          });
        },
      };
      const principal = { organizationId: "one" };
      const answer = outbound.send({ origin, method: "GET", target: "/", headers: {}, principal, memory });
      await asked.promise;
      // A long answer is still in the sockets, and its connection open.
      if (kibibytes < 1000) await closed.promise;
      for (let i = 0; i < 20; i++) await turn();
      room.resolve();
      expect((await answer).bytes).toBe(text.length);
      // As text, and as the JSON that is kept of it.
      expect(reserved).toBe(2 * text.length);
    },
  );
});
