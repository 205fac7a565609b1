import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { soak } from "./soak.ts";

testShort(soak, "under mixed load, reads, writes and runs all succeed", ({ acknowledged, unknown }) => {
  expect(acknowledged).toBeGreaterThan(0);
  expect(unknown).toBe(0);
});
