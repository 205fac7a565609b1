import { describe, expect, test } from "vitest";
import { drive, emptyAnswer, requireRequest } from "./drive.ts";
import { type Answer, flatMapInSlices, itemsInSlice, pause, type StepRequest, send, type Work } from "./work.ts";

const request = (path: string): StepRequest => ({ method: "GET", api: "main", path, effect: "read", idempotent: true });
const answer = (body: unknown): Answer => ({ ...emptyAnswer, status: 200, body });

function* twoReads(): Work<unknown[]> {
  const first = yield* send(request("/first"));
  const second = yield* send(request(`/${first.body}`));
  return [first.body, second.body];
}

describe("driving work", () => {
  test("passes each answer back before the next request, and returns the result of the work", async () => {
    const asked: unknown[] = [];
    const returned = await drive(twoReads(), async (each) => {
      asked.push("path" in each && each.path);
      return answer("path" in each && each.path === "/first" ? "second" : "last");
    });
    expect({ asked, returned }).toEqual({ asked: ["/first", "/second"], returned: ["second", "last"] });
  });

  test("throws an error that the sender returns into the work, which may know another way", async () => {
    function* withFallback(): Work<unknown> {
      try {
        return yield* send(request("/first"));
      } catch (error) {
        return `went on after: ${(error as Error).message}`;
      }
    }
    expect(await drive(withFallback(), async () => new Error("refused"))).toBe("went on after: refused");
  });

  test("ends with an error that the sender throws, whatever the work would catch", async () => {
    function* catchesAll(): Work<unknown> {
      try {
        return yield* send(request("/first"));
      } catch {
        return "caught";
      }
    }
    const failing = drive(catchesAll(), async () => {
      throw new Error("the lease is lost");
    });
    await expect(failing).rejects.toThrow("the lease is lost");
  });

  test("lets others run where work on many items yields the event loop", async () => {
    const order: string[] = [];
    const items = Array.from({ length: 2 * itemsInSlice }, (_, index) => index);
    function* work(): Work<number> {
      const read = yield* flatMapInSlices(items, (item) => {
        if (item === 0 || item === items.length - 1) order.push(item === 0 ? "first" : "last");
        return item % 2 === 0 ? [item] : [];
      });
      return read.length;
    }
    const worked = drive(work(), async (asked) => answer(requireRequest(asked).path));
    setImmediate(() => order.push("another"));
    expect(await worked).toBe(itemsInSlice);
    expect(order).toEqual(["first", "another", "last"]);
  });

  test("refuses a pause of work that must not wait", async () => {
    const waiting = drive(pause(5, "a build"), async (asked) => answer(requireRequest(asked).path));
    await expect(waiting).rejects.toThrow("This work must not wait for a build.");
  });
});
