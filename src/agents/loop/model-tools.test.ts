import { afterAll, describe, expect, test } from "vitest";
import { steps } from "../../systems/index.ts";
import { createCompute } from "../../untrusted/compute.ts";
import { choose, needsApproval } from "./model-tools.ts";
import { type AgentPlan, nameAbilities } from "./plan.ts";

const planWith = (abilities: AgentPlan["abilities"]): AgentPlan => ({
  agentId: "agt_us_1",
  name: "An agent",
  instructions: "",
  model: null,
  approval: "writes",
  turnsMax: 20,
  tokensMax: 1_000,
  minutesMax: 60,
  conversationId: "cnv_us_1",
  history: [],
  abilities,
});
const tool = (title: string) => ({
  id: "tol_us_1",
  version: 1,
  definition: { title, params_schema: { type: "object" }, steps: [{ name: "rest", step: "wait", input: {} }] },
});

const compute = createCompute();
afterAll(() => compute.close());
const on = { compute, organizationId: "org_us_test" };

describe("the tools of an agent's model", () => {
  test("have names that every model accepts, without duplicates", () => {
    const twice = ["list_deployments", "list_deployments", "gone"].map((step, index) => ({
      step,
      connectionId: `con_us_${index}`,
    }));
    const named = nameAbilities(
      twice,
      ["Redeploy a branch!", "redeploy a branch", "再デプロイ", "x".repeat(200)].map(tool),
    );
    const names = named.map(({ name }) => name);
    expect(names.slice(0, 5)).toEqual([
      "list_deployments",
      "list_deployments_2",
      "redeploy_a_branch",
      "redeploy_a_branch_2",
      "tool",
    ]);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(steps.map((step) => [step.id, step] as const))(
    "%s takes its own examples, and says what they do",
    async (id, step) => {
      const plan = planWith(nameAbilities([{ step: id, connectionId: "con_us_1" }], []));
      for (const { input } of step.examples) {
        const chosen = await choose(plan, { id: "1", name: id, input }, on);
        expect(chosen).toMatchObject({ input });
        if ("effect" in chosen && !step.effectOf) expect(chosen.effect).toBe(step.effect);
      }
      expect(await choose(plan, { id: "1", name: id, input: { no_such_member: 1 } }, on)).toHaveProperty("refused");
    },
  );

  test("count an API call by its method, and a tool by its strongest effect", async () => {
    const plan = planWith(
      nameAbilities(
        [{ step: "deployment_api_call", connectionId: "con_us_1" }],
        [
          tool("Reads"),
          {
            ...tool("Writes"),
            definition: {
              ...tool("Writes").definition,
              steps: [
                { name: "look", step: "list_deployments", input: {} },
                { name: "make", step: "create_deployment", input: {} },
              ],
            },
          },
        ],
      ),
    );
    const effectOf = async (name: string, input: unknown) => {
      const chosen = await choose(plan, { id: "1", name, input }, on);
      return "effect" in chosen ? chosen.effect : chosen.refused.detail;
    };
    expect(await effectOf("deployment_api_call", { method: "GET", path: "/v9/projects" })).toBe("read");
    expect(await effectOf("deployment_api_call", { method: "DELETE", path: "/v9/projects/web" })).toBe("delete");
    expect(await effectOf("reads", {})).toBe("read");
    expect(await effectOf("writes", {})).toBe("create");
  });

  test.each([
    ["never", "delete", false],
    ["writes", "read", false],
    ["writes", "send", true],
    ["always", "read", true],
  ] as const)("rule %s, effect %s: a person is asked: %s", (approval, effect, asked) => {
    expect(needsApproval(approval, effect)).toBe(asked);
  });
});
