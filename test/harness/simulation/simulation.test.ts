import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { simulation } from "./simulation.ts";

testShort(
  simulation,
  "no limit is exceeded, shares are fair, failed calls are made again, a lost region catches up, and a seed repeats",
  (findings) => {
    expect(findings.acknowledged).toBeGreaterThan(200);
    // The loss of the region in each cycle, and calls that fail.
    expect(findings.faults).toBeGreaterThan(simulation.shortCycles);
    expect(findings.recoverySeconds.length).toBeGreaterThan(0);
  },
);
