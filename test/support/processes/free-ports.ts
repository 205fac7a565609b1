import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { sandboxOffset } from "../../../src/start/settings/settings.ts";
import { systemIds } from "../../../src/systems/index.ts";

/**
 * Ports below the range of outgoing connections, which would take one before the server does. Each process of a test run
 * has a range of its own and goes through it in turn: no two tests that run at the same time get the same port.
 */
const first = 20_000;
const portsEach = 2_000;
const ranges = 6;

const { VITEST_POOL_ID = 0, TEST_PORT_RANGE = VITEST_POOL_ID } = process.env;
const from = first + (Number(TEST_PORT_RANGE) % ranges) * portsEach;
let offset = randomInt(portsEach);

/** A free port, with the following ones. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (offset + count > portsEach) offset = 0;
    const found = from + offset;
    offset += count;
    const wanted = Array.from({ length: count }, (_, index) => found + index);
    if ((await Promise.all(wanted.map(isFree))).every(Boolean)) return found;
  }
  throw new Error(`No ${count} free ports side by side were found.`);
}

/** The ports of a server with sandboxes of its own. */
export const freeServerPorts = (): Promise<number> => freePorts(sandboxOffset + systemIds.length);

export const freePort = (): Promise<number> => freePorts(1);

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
