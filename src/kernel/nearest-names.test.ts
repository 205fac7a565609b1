import { describe, expect, test } from "vitest";
import { nearest } from "./nearest-names.ts";

const known = [
  { name: "sessions" },
  { name: "screenPageViews", also: ["Views"] },
  { name: "keyEvents", also: ["Key events", "conversions"] },
  { name: "activeUsers", also: ["Active users"] },
  { name: "totalUsers", also: ["Total users"] },
  { name: "country" },
];

describe("the nearest real name", () => {
  test.each([
    ["sesions", ["sessions"]],
    ["Sessions", ["sessions"]],
    ["conversion", ["keyEvents"]],
    ["active_users", ["activeUsers"]],
    ["users", ["activeUsers", "totalUsers"]],
    ["page views", ["screenPageViews"]],
    ["cuontry", ["country"]],
    ["weather", []],
    ["", []],
  ])("%j is perhaps %j", (written, names) => expect(nearest(written, known)).toEqual(names));

  test("no more than asked for, the nearest first", () => {
    const many = ["aaaa1", "aaaa12", "aaaa", "aaaa123"].map((name) => ({ name }));
    expect(nearest("aaaa", many, 2)).toEqual(["aaaa", "aaaa1"]);
  });

  // "Nothing that a caller or an external system chooses may take more than 50 ms of the event loop": this took 20 seconds.
  test("what is longer than any name is like none, on both sides, and takes no time", () => {
    const zones = Array.from({ length: 100_000 }, (_, index) => ({ name: `zone${index}`, also: ["x".repeat(10_000)] }));
    const before = process.threadCpuUsage();
    expect(nearest("@".repeat(262_144), zones)).toEqual([]);
    expect(nearest("z".repeat(60), [{ name: "z".repeat(1_000_000) }, ...zones])).toEqual([]);
    expect(nearest("zone1770", zones, 1)).toEqual(["zone1770"]);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
  });
});
