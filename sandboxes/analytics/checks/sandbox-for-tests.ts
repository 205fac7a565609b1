import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { type SandboxClient, startSandbox, testTime } from "./sandbox-client.ts";

/** One sandbox for the tests of a file, at the time that they start from. Every answer of it must fit the field lists. */
export async function sandboxForTests(): Promise<SandboxClient> {
  const sandbox = await startSandbox();
  await sandbox.control("/clock", { now: testTime });
  afterAll(() => sandbox.stop());
  afterEach(() => expect(sandbox.problems).toEqual([]));
  return sandbox;
}

/** The same, as new for each test. */
export async function freshSandboxForEachTest(): Promise<SandboxClient> {
  const sandbox = await sandboxForTests();
  beforeEach(async () => {
    await sandbox.control("/reset", {});
    await sandbox.control("/clock", { now: testTime });
  });
  return sandbox;
}
