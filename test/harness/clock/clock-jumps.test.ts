import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { clockJumps } from "./clock-jumps.ts";

testShort(clockJumps, "a clock that jumps by years loses nothing and locks nobody out", ({ acknowledged, faults }) => {
  expect(faults).toBe(clockJumps.shortCycles);
  expect(acknowledged).toBeGreaterThan(0);
});
