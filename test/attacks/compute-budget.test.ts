import { describe, expect, test } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { startTeam } from "../support/team.ts";

/** "A fair queue by organization with a CPU budget for each, a deadline, and a clear problem when it is used up." */

const slow = "{{ ($f := function($x) { $f($x + 1) }; $f(1)) }}";
const toolOf = (output: string, params_schema: Record<string, unknown> = {}) => ({
  title: "A tool",
  params_schema,
  steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }],
  output,
});
const withPattern = { properties: { a: { type: "string", pattern: "^a+$" } } };

describe("an organization that has used up its computing time", () => {
  async function start() {
    let milliseconds = 0;
    const team = await startTeam("sqlite", {
      compute: { burstSeconds: 0.2, coresEach: 0.0001, waitSecondsMax: 5, now: () => milliseconds },
    });
    const { owner, projectId } = await team.neighbour();
    const own = team.inProject(team.owner);
    const create = async (tool: unknown, as = own): Promise<string> =>
      (await team.call("tools/create", tool, as)).body.tool_id;
    const pass = (by: number) => {
      milliseconds += by;
    };
    /** The clock goes on until the call is answered, which waits for its budget as long as it may. */
    const whileTimePasses = async <T>(called: Promise<T>): Promise<T> => {
      const timer = setInterval(pass, 20, 1_000);
      return called.finally(() => clearInterval(timer));
    };
    return { team, own, there: { as: owner, project: projectId }, create, pass, whileTimePasses };
  }

  test("gets 429 with the time to retry, other organizations do not, and later it is served again", async () => {
    const { team, own, there, create, pass, whileTimePasses } = await start();
    const tool = await create(toolOf("done", withPattern));
    const costly = await create(toolOf(slow));
    const theirs = await create(toolOf("done", withPattern), there);
    const trigger = (id: string, as = own) => team.call(`tools/${id}/trigger`, { params: { a: "aa" } }, as);
    expect((await trigger(costly)).body.problem.code).toBe("expression_failed");

    const answer = await whileTimePasses(trigger(tool));
    expectProblem(answer, "compute_exhausted");
    expect(answer.status).toBe(429);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect((await trigger(theirs, there)).body.status).toBe("succeeded");
    // What needs no computing goes on.
    expect((await team.call("tools/list", {}, own)).status).toBe(200);
    expect((await trigger(await create(toolOf("{{params.a}}")))).body).toMatchObject({ output: "aa" });

    pass(10_000_000);
    expect((await trigger(tool)).body.status).toBe("succeeded");
  });

  test("gets failed runs with a problem that says so", async () => {
    const { team, own, create, pass, whileTimePasses } = await start();
    const costly = await create(toolOf(slow));
    const cheap = await create(toolOf("{{ 1 + 1 }}"));
    await team.call(`tools/${costly}/trigger`, {}, own);
    const { body } = await whileTimePasses(team.call(`tools/${cheap}/trigger`, {}, own));
    expect(body).toMatchObject({
      status: "failed",
      problem: {
        code: "compute_exhausted",
        fault: "caller",
        retry: "later",
        detail: expect.stringContaining("output"),
      },
    });
    pass(10_000_000);
    expect((await team.call(`tools/${cheap}/trigger`, {}, own)).body).toMatchObject({ status: "succeeded", output: 2 });
  });
});
