import { expect, test } from "vitest";
import { defaultBodyLimits } from "../../http/edge/body-budget.ts";
import { defaultRunSizes } from "../../runs/queue/run-memory.ts";
import { computeLimits } from "../../untrusted/compute-limits.ts";
import { readConfig } from "../settings/config.ts";
import { readinessOf } from "./member.ts";
import { shareOfBodies, shareOfComputing, shareOfRunMemory, shareOfSettings } from "./share-of-caps.ts";

const onPostgres = { SIGNALBOX_DATABASE_URL_US: "postgres://u@host/box", SIGNALBOX_REGIONS: "us" };

test("a process alone has everything", () => {
  const config = readConfig(onPostgres);
  expect(shareOfSettings(config)).toEqual(config);
  expect(shareOfBodies(1)).toEqual(defaultBodyLimits);
  expect({ ...defaultRunSizes, ...shareOfRunMemory(1) }).toEqual(defaultRunSizes);
  expect({ ...computeLimits, ...shareOfComputing(1) }).toEqual(computeLimits);
});

test("several processes divide what is one for the machine, and no share is too small for one call or run", () => {
  const config = readConfig({ ...onPostgres, SIGNALBOX_PROCESSES: "4", SIGNALBOX_CONNECTIONS_MAX: "1001" });
  expect(shareOfSettings(config)).toMatchObject({
    connectionsMax: 251,
    connectionsPerAddressMax: 250,
    models: { callsMax: 8 },
  });
  for (const processes of [2, 4, 64]) {
    const bodies = shareOfBodies(processes);
    expect(bodies.bytesMax).toBeLessThan(defaultBodyLimits.bytesMax);
    expect(bodies.organizationBytesMax).toBeGreaterThanOrEqual(16 * 1024 * 1024);
    const runs = { ...defaultRunSizes, ...shareOfRunMemory(processes) };
    expect(runs.organizationMax).toBeGreaterThanOrEqual(runs.runMax);
    expect(runs.allMax).toBeGreaterThan(runs.organizationMax);
    expect(shareOfComputing(processes).coresEach).toBe(0.25);
  }
});

test.each([
  ["all are ready", null, [null], true, null],
  ["one of two is being replaced", null, [], true, null],
  ["one of two cannot reach its store", "the store cannot be reached", [null], true, null],
  ["the others are not ready for the first time", null, [], false, "starting"],
  ["none is ready", "stopping", ["stopping"], true, "0 of 2 processes are ready: stopping"],
])("readiness: %s", (_, own, answers, isStarted, expected) => {
  expect(readinessOf(own, { answers, primary: null, isStarted, isSetUp: true }, 2)).toBe(expected);
});

test("readiness: too few of many processes, or the primary has a reason of its own", () => {
  expect(readinessOf(null, { answers: [], primary: null, isStarted: true, isSetUp: true }, 4)).toBe(
    "1 of 4 processes are ready",
  );
  const primary = "the sandboxes have ended";
  expect(readinessOf(null, { answers: [null], primary, isStarted: true, isSetUp: true }, 2)).toBe(primary);
});

// "`/readyz` answers 200 only once that file is complete": one process makes it, and the others know nothing of it.
test.each([["first-run.json is not complete: the log says why"], ["the sandboxes do not respond"]])(
  "a server whose first start lacks something is not ready, however many processes are: %s",
  (reason) => {
    expect(
      readinessOf(null, { answers: [null, reason, null], primary: null, isStarted: true, isSetUp: false }, 4),
    ).toBe(reason);
    expect(
      readinessOf(reason, { answers: [null, null, null], primary: null, isStarted: true, isSetUp: false }, 4),
    ).toBe(reason);
    // Once it had everything, a process that replaces the first one does not speak for the others.
    expect(readinessOf(null, { answers: [null, reason, null], primary: null, isStarted: true, isSetUp: true }, 4)).toBe(
      null,
    );
  },
);
