import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { simulation } from "./simulation.ts";

testShort(
  simulation,
  "no limit is exceeded, shares are fair, a lost region catches up, and a seed repeats",
  (findings) => {
    expect(findings.acknowledged).toBeGreaterThan(200);
    expect(findings.recoverySeconds.length).toBeGreaterThan(0);
  },
);
