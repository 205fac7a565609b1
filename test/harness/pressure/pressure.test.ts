import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { pressure } from "./pressure.ts";

testShort(
  pressure,
  "a database that is slow, restarted, cut off or busy loses nothing and doubles nothing",
  ({ acknowledged, faults }) => {
    expect(faults).toBe(1);
    expect(acknowledged).toBeGreaterThan(0);
  },
);
