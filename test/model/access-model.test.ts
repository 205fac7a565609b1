import fc from "fast-check";
import { test } from "vitest";
import { startApp } from "../support/app.ts";
import { describeOnBothStores } from "../support/stores.ts";
import { accessCommands } from "./access-commands.ts";
import { expectSameWorld } from "./access-lists.ts";
import { AccessModel } from "./access-model.ts";
import { World } from "./access-world.ts";

/**
 * Random stories of organizations, projects, invites, people and keys. After each command the answer's status and code
 * are the model's; at the end of the story every list is. A failure prints its seed and path: run it again with
 * SIGNALBOX_MODEL_SEED, or run more with SIGNALBOX_MODEL_RUNS.
 */
const seed = process.env.SIGNALBOX_MODEL_SEED;
const wantedRuns = Number(process.env.SIGNALBOX_MODEL_RUNS ?? 0);
const testSeconds = 120 + wantedRuns;

describeOnBothStores("the access rules against their model", (kind) => {
  test(
    "every story of up to 40 commands goes as the model says",
    async () => {
      const app = await startApp(kind);
      const startStory = async () => {
        const [model, world] = [new AccessModel(), new World(app)];
        for (const [owner, member] of [
          ["owner", "ann"],
          ["neighbour", "bob"],
        ] as const) {
          await world.join(model, world.address(owner), null);
          const [by, organization] = [model.keys.at(-1), model.organizations.at(-1)];
          if (!by || !organization) throw new Error("A world begins with organizations.");
          const body = { name: "First", description: "", organization_id: organization.id };
          const { body: made } = await world.call({ operation: "projects/create", body, by });
          model.createProject(by, organization, "First").id = made.project_id;
          await world.join(model, world.address(member), organization);
        }
        return { model, real: world };
      };
      await fc.assert(
        fc.asyncProperty(fc.commands(accessCommands, { maxCommands: 40, size: "max" }), async (commands) => {
          const story = await startStory();
          await fc.asyncModelRun(() => story, commands);
          await expectSameWorld(story.model, story.real);
        }),
        {
          numRuns: wantedRuns || (kind === "sqlite" ? 100 : 12),
          ...(seed ? { seed: Number(seed) } : {}),
        },
      );
    },
    testSeconds * 1000,
  );
});
