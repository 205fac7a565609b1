import { expect, test } from "vitest";
import { createSearchQueue } from "./search-queue.ts";

const inTurn = createSearchQueue();

test("each directory has one search at a time, in order, and other directories do not wait for them", async () => {
  const finished: string[] = [];
  const open: (() => void)[] = [];
  const search = (directoryId: string, name: string) =>
    inTurn(directoryId, () => new Promise<void>((resolve) => open.push(resolve))).then(() => finished.push(name));
  const all = [search("a", "a1"), search("a", "a2"), search("b", "b1")];
  await Promise.resolve();
  expect(open).toHaveLength(2);
  open[1]?.();
  await all[2];
  expect(finished).toEqual(["b1"]);
  open[0]?.();
  await all[0];
  while (open.length < 3) await Promise.resolve();
  open[2]?.();
  await Promise.all(all);
  expect(finished).toEqual(["b1", "a1", "a2"]);
});

test("a directory with sixteen searches is refused, and a failed search affects no other", async () => {
  let end: () => void = () => {};
  const first = inTurn("c", () => new Promise<void>((resolve) => (end = resolve)));
  const failing = inTurn("c", () => Promise.reject(new Error("no")));
  const rest = Array.from({ length: 14 }, (_, index) => inTurn("c", async () => index));
  await expect(inTurn("c", async () => {})).rejects.toMatchObject({
    code: "rate_limited",
    extras: { headers: { "retry-after": "1" } },
  });
  expect(await inTurn("d", async () => "d")).toBe("d");
  end();
  await first;
  await expect(failing).rejects.toThrow("no");
  expect(await Promise.all(rest)).toEqual(rest.map((_, index) => index));
  expect(await inTurn("c", async () => "again")).toBe("again");
});
