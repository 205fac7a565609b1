import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { Problem } from "../kernel/problem.ts";
import { type Compute, type ComputeOptions, createCompute } from "./compute.ts";
import { readPieces } from "./json-pieces.ts";

const opened: Compute[] = [];
const open = (options: ComputeOptions = {}): Compute => {
  const compute = createCompute({ processes: 2, ...options });
  opened.push(compute);
  return compute;
};
afterEach(async () => {
  for (const compute of opened.splice(0)) await compute.close();
});

/** Works until its time limit. */
const slow = "( $f := function($n) { $f($n + 1) }; $f(0) )";
/** Matches forever, within one call that nothing interrupts. */
const stuck = `$match("${"a".repeat(60)}b", /^(a+)+$/)`;
const huge = "$length($pad('x', 400000000))";

const evaluate = (compute: Compute, organizationId: string, expression: string) =>
  compute.run(organizationId, "expression", { expression, values: "{}" });

const resultOf = async (compute: Compute, organizationId: string, expression: string): Promise<unknown> => {
  const computed = await evaluate(compute, organizationId, expression);
  return computed.kind === "done" && computed.value.kind === "value" ? readPieces(computed.value.value) : computed;
};

describe("untrusted computing", () => {
  test("a task runs in another process, and results come in order", async () => {
    const compute = open();
    const sums = await Promise.all([...Array(100).keys()].map((n) => resultOf(compute, "org_a", `${n} + 1`)));
    expect(sums).toEqual([...Array(100).keys()].map((n) => n + 1));
  });

  test("many slow jobs of one organization do not delay another's small one", async () => {
    const compute = open();
    // Both processes have started.
    await Promise.all([evaluate(compute, "org_slow", slow), resultOf(compute, "org_quick", "1")]);
    const ended: string[] = [];
    const all = [...Array(30).keys()].map((n) =>
      evaluate(compute, "org_slow", slow).then(
        () => ended.push(`slow ${n}`),
        () => {},
      ),
    );
    await all[0];
    ended.push(`quick ${await resultOf(compute, "org_quick", "1 + 1")}`);
    expect(ended.indexOf("quick 2")).toBeLessThanOrEqual(2);
  });

  test.each([
    ["one that never ends", stuck],
    ["one that needs more memory than there is", huge],
  ])("%s ends only its own process", async (_what, expression) => {
    const compute = open();
    const before = resultOf(compute, "org_a", "1");
    const bad = evaluate(compute, "org_a", expression);
    const after = resultOf(compute, "org_a", "2");
    const other = resultOf(compute, "org_b", "3");
    expect(await Promise.all([before, after, other])).toEqual([1, 2, 3]);
    expect(await bad).toMatchObject({ kind: "overran", reason: expect.stringMatching(/too/) });
  });

  test("a budget that is used up is a clear problem, and recovers with time", async () => {
    let time = 0;
    const compute = open({ burstSeconds: 0.2, waitSecondsMax: 0, now: () => time });
    await evaluate(compute, "org_a", slow);
    const waiting = resultOf(compute, "org_a", "1 + 1");
    time += 1;
    const problem = await waiting.then(
      () => null,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ code: "compute_exhausted", status: 429 });
    expect(Number((problem as Problem).extras.headers?.["Retry-After"])).toBeGreaterThan(0);
    expect(await resultOf(compute, "org_b", "1 + 1")).toBe(2);
    time += 60_000;
    expect(await resultOf(compute, "org_a", "1 + 1")).toBe(2);
  });

  test("a job waits for its budget instead of failing at once", async () => {
    let time = 0;
    const compute = open({ burstSeconds: 0.1, waitSecondsMax: 30, now: () => time });
    await evaluate(compute, "org_a", slow);
    const waiting = resultOf(compute, "org_a", "1 + 1");
    expect(await resultOf(compute, "org_b", "2 + 2")).toBe(4);
    time += 20_000;
    expect(await waiting).toBe(2);
  });

  test("more jobs than an organization may have waiting are refused", async () => {
    const compute = open({ waitingJobsMax: 20 });
    const all = await Promise.allSettled([...Array(100).keys()].map((n) => resultOf(compute, "org_a", `${n}`)));
    const refused = all.filter(({ status }) => status === "rejected");
    expect(refused.length).toBe(80);
    expect(refused[0]).toMatchObject({ reason: { code: "compute_exhausted" } });
  });
});

/** The child processes of a process on Linux, without zombies. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => statOf(Number(pid))?.parent === parent).map(Number);
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const [state = "", parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return state === "Z" ? null : { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

describe.runIf(process.platform === "linux")("the processes", () => {
  const program = `
    const { createCompute } = await import(${JSON.stringify(new URL("./compute.ts", import.meta.url).href)});
    const compute = createCompute({ processes: 2, idleSeconds: Number(process.argv[1]) });
    const run = (organizationId) => compute.run(organizationId, "expression", { expression: "1", values: "{}" });
    await Promise.all([run("org_a"), run("org_b")]);
    console.log("ready");
    process.stdin.resume();
  `;
  async function startServer(idleSeconds: number) {
    const server = spawn(process.execPath, ["--input-type=module", "-e", program, String(idleSeconds)]);
    await once(server.stdout, "data");
    return server;
  }

  test("end with a server that is killed", async () => {
    const server = await startServer(60);
    const children = childrenOf(server.pid as number);
    expect(children.length).toBeGreaterThan(0);
    server.kill("SIGKILL");
    await expect.poll(() => children.map(statOf).filter((each) => each !== null)).toEqual([]);
  });

  test("end by themselves when there is nothing to do, and do not keep a server running", async () => {
    const server = await startServer(0);
    await expect.poll(() => childrenOf(server.pid as number)).toEqual([]);
    const ended = once(server, "exit");
    server.stdin.end();
    expect((await ended)[0]).toBe(0);
  });
});
