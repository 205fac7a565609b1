import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.ts";

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
});
