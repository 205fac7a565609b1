import { stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Problem } from "../../kernel/problem.ts";
import { hashPassword } from "./hash.ts";
import { createHashQueue, type HashCaller } from "./hash-queue.ts";

const stranger = (address: string, region: "us" | "eu" = "us"): HashCaller => ({ region, address });
const member = (organizationId: string): HashCaller => ({ region: "us", organizationId });

/** Hashes that end when the test says so, one after the other; `started` names them in the order in which they began. */
function openQueue(sizes = { atATime: 1, waitingEach: 3, waitingInAll: 6 }) {
  const queue = createHashQueue(sizes);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const refused: { name: string; problem: Problem }[] = [];
  const turns = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return {
    started,
    refused,
    codes: () => refused.map(({ name, problem }) => `${name} ${problem.status} ${problem.code}`),
    async ask(caller: HashCaller, name: string): Promise<void> {
      const work = () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      queue.run(caller, work).catch((problem: Problem) => refused.push({ name, problem }));
      await turns();
    },
    async end(): Promise<void> {
      ends.shift()?.();
      await turns();
    },
    async endAll(): Promise<void> {
      while (ends.length > 0) await this.end();
    },
  };
}

describe("callers who want a password hashed take turns", () => {
  test("however many one address sends, another address's first request waits for one of them", async () => {
    const queue = openQueue();
    for (const name of ["a1", "a2", "a3", "a4"]) await queue.ask(stranger("192.0.2.1"), name);
    await queue.ask(stranger("192.0.2.2"), "b1");
    await queue.ask(stranger("192.0.2.1", "eu"), "c1");
    await queue.endAll();
    expect(queue.started).toEqual(["a1", "a2", "b1", "c1", "a3", "a4"]);
  });

  test("no more are computed at once than there are slots", async () => {
    const queue = openQueue({ atATime: 2, waitingEach: 3, waitingInAll: 6 });
    for (const name of ["a1", "a2", "a3", "a4"]) await queue.ask(stranger("192.0.2.1"), name);
    expect(queue.started).toEqual(["a1", "a2"]);
    await queue.end();
    expect(queue.started).toEqual(["a1", "a2", "a3"]);
    await queue.endAll();
    await queue.ask(stranger("192.0.2.1"), "a5");
    expect(queue.started).toEqual(["a1", "a2", "a3", "a4", "a5"]);
  });

  test("a known browser or a session gets every other turn, whatever number of addresses strangers have", async () => {
    const queue = openQueue();
    for (let each = 1; each <= 6; each++) await queue.ask(stranger(`192.0.2.${each}`), `s${each}`);
    await queue.ask(member("org_1"), "m1");
    await queue.ask(member("org_1"), "m2");
    await queue.endAll();
    expect(queue.started.slice(0, 5)).toEqual(["s1", "m1", "s2", "m2", "s3"]);
  });

  test("a hash that fails makes room like one that succeeds", async () => {
    const queue = createHashQueue({ atATime: 1, waitingEach: 1, waitingInAll: 1 });
    const failed = queue.run(stranger("192.0.2.1"), () => Promise.reject(new Error("no memory")));
    const next = queue.run(stranger("192.0.2.1"), async () => "hashed");
    await expect(failed).rejects.toThrow("no memory");
    expect(await next).toBe("hashed");
  });
});

describe("the queue has an end", () => {
  test("a caller with too many waiting is refused with Retry-After, and no other caller is", async () => {
    const queue = openQueue();
    for (const name of ["a1", "a2", "a3", "a4", "a5"]) await queue.ask(stranger("192.0.2.1"), name);
    await queue.ask(stranger("192.0.2.2"), "b1");
    expect(queue.codes()).toEqual(["a5 429 rate_limited"]);
    expect(queue.refused[0]?.problem.extras.headers).toEqual({ "retry-after": "1" });
  });

  test("a few addresses cannot fill it: the caller with the most waiting loses one to a new caller", async () => {
    const queue = openQueue();
    for (const name of ["a1", "a2", "a3", "a4"]) await queue.ask(stranger("192.0.2.1"), name);
    for (const name of ["b1", "b2", "b3"]) await queue.ask(stranger("192.0.2.2"), name);
    await queue.ask(stranger("192.0.2.3"), "c1");
    expect(queue.codes()).toEqual(["a4 429 rate_limited"]);
    await queue.endAll();
    expect(queue.started.indexOf("c1")).toBe(3);
  });

  test("when the maximum of different callers wait, one more is refused with 503, and a known one may still wait", async () => {
    const queue = openQueue();
    for (let each = 0; each <= 6; each++) await queue.ask(stranger(`192.0.2.${each}`), `s${each}`);
    await queue.ask(stranger("192.0.2.99"), "late");
    await queue.ask(member("org_1"), "m1");
    expect(queue.codes()).toEqual(["late 503 passwords_busy"]);
    expect(queue.refused[0]?.problem.extras.headers).toEqual({ "retry-after": "1" });
    await queue.end();
    expect(queue.started).toEqual(["s0", "m1"]);
  });
});

describe("hashing", () => {
  test("leaves threads to files: reading one does not wait for the passwords of others", async () => {
    let done = 0;
    const all = Array.from({ length: 12 }, async (_, each) => {
      await hashPassword("a sentence that nobody guesses", stranger(`198.51.100.${each}`));
      done++;
    });
    await stat(import.meta.filename);
    expect(done).toBeLessThan(8);
    await Promise.all(all);
  });
});
