import { describe, expect, test } from "vitest";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { encoded, honestly, responseXml } from "../support/sign-in/saml-provider.ts";
import { startSamlWorld } from "../support/sign-in/saml-world.ts";
import { TestBrowser } from "../support/sign-in/sso-world.ts";
import { answerJson, startRogue } from "../support/systems/rogue.ts";
import { startTeam, type Team } from "../support/team.ts";

/** "A fair queue by organization with a CPU budget for each, a deadline, and a clear problem when it is used up." */

const slow = "{{ ($f := function($x) { $f($x + 1) }; $f(1)) }}";
type Called = ReturnType<Team["call"]>;

const toolOf = (output: unknown, params_schema: Record<string, unknown> = {}) => ({
  title: "A tool",
  params_schema,
  steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }],
  output,
});
const withPattern = { properties: { a: { type: "string", pattern: "^a+$" } } };

/** So much for each organization, and a clock that the test moves. */
function smallBudget(burstSeconds: number, coresEach: number) {
  let milliseconds = 0;
  const pass = (by: number) => {
    milliseconds += by;
  };
  return {
    compute: { burstSeconds, coresEach, waitSecondsMax: 5, now: () => milliseconds },
    pass,
    /** The clock goes on until the call is answered, which waits for its budget as long as it may. */
    whileTimePasses: async <T>(called: Promise<T>): Promise<T> => {
      const timer = setInterval(pass, 20, 1_000);
      return called.finally(() => clearInterval(timer));
    },
  };
}

/** One job of any kind takes more, and the rest of the test gives nothing back. */
const almostNothing = [1e-7, 1e-9] as const;
const untilFull = 1e13;

describe("an organization that has used up its computing time", () => {
  async function start(burstSeconds = 0.2, coresEach = 0.0001) {
    const { compute, pass, whileTimePasses } = smallBudget(burstSeconds, coresEach);
    const team = await startTeam("sqlite", { compute });
    const { owner, projectId } = await team.neighbour();
    const own = team.inProject(team.owner);
    const create = async (tool: unknown, as = own): Promise<string> =>
      (await team.call("tools/create", tool, as)).body.tool_id;
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

  test("gets the same for YAML, which is charged in both directions", async () => {
    const { team, own, there, create, pass, whileTimePasses } = await start(...almostNothing);
    // Long enough for a clock that counts processor time in steps of some milliseconds.
    const tool = await create(toolOf({ list: Array.from({ length: 5_000 }, (_, index) => ({ id: index })) }));
    const write = (): Called => team.call(`tools/${tool}/export`, {}, own);
    const { yaml } = (await write()).body;
    const read = (as = own): Called => team.call("tools/import", { yaml }, as);
    const expectExhausted = async (called: Called) => {
      const answer = await whileTimePasses(called);
      expectProblem(answer, "compute_exhausted");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    };
    // The first of each pays with all that there is.
    await expectExhausted(read());
    expect((await read(there)).status).toBe(200);
    pass(untilFull);
    expect((await read()).status).toBe(200);
    await expectExhausted(write());
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

describe("an organization whose large answers have used up their computing time", () => {
  test("gets a clear problem before the next step is sent, runs wait, and other organizations are served", async () => {
    const { compute, pass } = smallBudget(...almostNothing);
    const rogue = await startRogue("sqlite", "deployment", { compute });
    const steps = [
      {
        name: "get",
        step: "deployment_api_call",
        connection_id: rogue.connectionId,
        input: { method: "GET", path: "/v9/projects/web" },
      },
    ];
    const { tool_id } = (await rogue.call("tools/create", { title: "A tool", steps })).body;
    const direct = async () => (await rogue.api({ method: "GET" })).body;
    const inTool = async () => (await rogue.call(`tools/${tool_id}/trigger`)).body;
    // Small ones cost nothing.
    for (const run of [direct, inTool, direct]) expect((await run()).status).toBe("succeeded");
    rogue.says(answerJson(200, { list: Array.from({ length: 30_000 }, (_, index) => ({ id: index })) }));
    const detail = expect.stringContaining("Large responses");
    const refused = { status: "failed", problem: { code: "compute_exhausted", retry: "later", detail } };
    const waits = { status: "waiting", waiting_for: { kind: "retry", step: "get", detail } };
    for (const [first, second, expected] of [
      [direct, inTool, waits],
      [inTool, direct, refused],
    ] as const) {
      expect((await first()).status).toBe("succeeded");
      const before = rogue.arrived.length;
      expect(await second()).toMatchObject(expected);
      expect(rogue.arrived).toHaveLength(before);
      pass(untilFull);
    }
    expect((await direct()).status).toBe("succeeded");
    const neighbour = await rogue.app.person("neighbour@example.org");
    const there = { as: neighbour, project: await rogue.app.project(neighbour) };
    const wish = { system: "deployment", instance: rogue.origin, credentials: { token: "another-token" } };
    const { connection_id } = (await rogue.app.call("connections/connect", wish, there)).body;
    const asked = { connection_id, input: { method: "GET", path: "/v9/projects/web" } };
    const theirs = await rogue.app.call("steps/deployment_api_call/run", asked, there);
    expect(theirs.body.status).toBe("succeeded");
  });
});

describe("an organization whose sign-ins by SAML have used up their computing time", () => {
  test("gets a clear problem at sign-in, and its tools go on", async () => {
    const { compute, pass, whileTimePasses } = smallBudget(...almostNothing);
    const world = await startSamlWorld("sqlite", {}, { compute });
    await world.colleague("ada");
    const signIn = async () => {
      const browser = new TestBrowser(world.app);
      const request = await world.begin(browser);
      return world.answer(browser, request, encoded(responseXml(request, honestly(request))));
    };
    // The first pays with all that there is.
    expect((await signIn()).code).toBeNull();
    const refused = await whileTimePasses(signIn());
    expect([refused.status, refused.code]).toEqual([429, "compute_exhausted"]);
    const own = world.inProject(world.owner);
    expect((await world.call("tools/create", toolOf("done", withPattern), own)).status).toBe(200);
    pass(untilFull);
    expect((await signIn()).code).toBeNull();
  });
});
