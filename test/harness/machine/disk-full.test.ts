import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { diskFull } from "./disk-full.ts";

testShort(diskFull, "a full disk loses nothing, and writes go on once there is space", ({ acknowledged, faults }) => {
  expect(faults).toBe(diskFull.shortCycles);
  expect(acknowledged).toBeGreaterThan(0);
});
