import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { serve } from "../../test/support/processes/local-servers.ts";
import { cleanUpLater } from "../../test/support/stores.ts";
import { type Capacity, createCapacity, type Release } from "./capacity.ts";
import { createReservedAnswer, createSlottedAnswer, largeBytes } from "./memory-of-large-answers.ts";
import { createOutbound } from "./outbound.ts";

const half = Buffer.alloc(512 * 1024, "a");
/** More than the buffers of a connection hold, so it is written only if the client reads it. */
const most = Buffer.alloc(9 * 1024 * 1024, "a");
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

  test("one whose connection is closed while it waits takes one slot, which is free again afterwards", async () => {
    const open: ServerResponse[] = [];
    const begun = Promise.withResolvers<ServerResponse>();
    const { ask } = await start((response, url) => {
      if (url === "/small") return void response.end("ok");
      if (url === "/closing") {
        // Without a length, the client takes the end of the connection for the end of the answer.
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: "close" }).write(half.subarray(0, largeBytes));
        return begun.resolve(response);
      }
      response.write(most);
      open.push(response);
    });
    const taken = () => open.filter((response) => response.writableLength === 0).length;
    /** Meanwhile, what was written before arrives. */
    const askSmall = async () => {
      for (let i = 0; i < 20; i++) await ask("one", "/small");
    };
    const held = Array.from({ length: 4 }, () => ask("one"));
    await expect.poll(taken).toBe(4);
    const answer = ask("one", "/closing");
    const last = await begun.promise;
    await askSmall();
    last.write("a");
    await askSmall();
    last.end();
    await askSmall();
    for (const response of open.splice(0)) response.end();
    expect((await answer).status).toBe(200);
    await Promise.all(held);
    const later = Array.from({ length: 4 }, () => ask("one"));
    await expect.poll(taken).toBe(4);
    for (const response of open) response.end();
    await Promise.all(later);
  });
});

describe("the slot of a large answer that waits", () => {
  const slots = 2;
  const takeAll = (capacity: Capacity) => Array.from({ length: slots }, () => capacity.acquire("one", 60_000));
  const isTaken = (slot: Release | Promise<Release>): slot is Release => typeof slot === "function";

  function startFull() {
    const capacity = createCapacity({ tenantMax: slots, allMax: 2 * slots, tenantMin: 1 });
    const held = takeAll(capacity).filter(isTaken);
    expect(held).toHaveLength(slots);
    const answer = createSlottedAnswer(capacity, "one", 60_000);
    const free = () => {
      for (const release of held) release();
    };
    return { answer, free, countFree: () => takeAll(capacity).filter(isTaken).length };
  }

  test("is taken once, however often the answer asks, and is free after its end", async () => {
    const { answer, free, countFree } = startFull();
    const waits = [answer.take(1), answer.take(2)];
    free();
    await Promise.all(waits);
    expect(answer.take(3)).toBeNull();
    answer.end(true);
    expect(countFree()).toBe(slots);
  });

  test.each([1, 2])("is not kept if the answer ends while it waits, after %s requests for it", async (times) => {
    const { answer, free, countFree } = startFull();
    const waits = Array.from({ length: times }, () => answer.take(1));
    answer.end(false);
    free();
    await Promise.all(waits);
    expect(countFree()).toBe(slots);
  });

  test("and the bytes of one that a caller counts are not kept either", async () => {
    const room = Promise.withResolvers<void>();
    let [reserved, isFull] = [0, true];
    const reserve = (bytes: number) => {
      const add = () => {
        reserved += bytes;
      };
      if (isFull) return room.promise.then(add);
      add();
      return null;
    };
    const answer = createReservedAnswer({ reserve });
    const waits = [answer.take(10), answer.take(20)];
    answer.end(false);
    isFull = false;
    room.resolve();
    await Promise.all(waits);
    expect(reserved).toBe(0);
  });
});
