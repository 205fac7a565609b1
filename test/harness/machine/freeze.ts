import type { Harness } from "../frame/harness.ts";
import { type FaultLoop, faultLoop } from "../load/fault-loop.ts";

/** The lease of the node, in seconds; it stands still for longer. */
const leaseSeconds = 2;

export const freezing: FaultLoop = {
  settings: { SIGNALBOX_LEASE_SECONDS: String(leaseSeconds) },
  fault: {
    lasts: (random) => (leaseSeconds + 0.5 + random() * 2) * 1000,
    async begin({ server }) {
      server.freeze();
      return async () => server.thaw();
    },
  },
};

export const freeze: Harness = {
  id: "H1",
  name: "freeze",
  title: "a server that stands still (SIGSTOP) for longer than its leases, under load",
  stores: ["sqlite", "postgres"],
  fullCycles: 20,
  shortCycles: 1,
  shortTest: "test/harness/short.test.ts",
  run: (options) => faultLoop(options, freezing),
};
