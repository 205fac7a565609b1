import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { backupUnderLoad } from "./backup-under-load.ts";

testShort(
  backupUnderLoad,
  "a backup under load, restored, has what was acknowledged before it",
  ({ acknowledged, faults }) => {
    expect(faults).toBe(1);
    expect(acknowledged).toBeGreaterThan(0);
  },
);
