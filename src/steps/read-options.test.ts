import { expect, test } from "vitest";
import { answerJson, startRogue } from "../../test/support/systems/rogue.ts";

/** "Nothing that an external system chooses may take more memory than its cap": a drop-down shows texts that the system chooses. */
test("values of a drop-down that are too long to be used are left out, and long texts are cut", async () => {
  const rogue = await startRogue();
  const projects = [
    { id: "prj_1", name: "x".repeat(100_000), link: { repo: "web" } },
    { id: "y".repeat(1_001), name: "Too long an id" },
    { id: "prj_2", name: "Docs" },
  ];
  rogue.says(answerJson(200, { projects, pagination: { next: "9".repeat(4_001) } }));
  const wish = { connection_id: rogue.connectionId, field: "project" };
  const { body } = await rogue.call("steps/create_deployment/options", wish);
  expect(body).toEqual({
    results: [
      { value: "prj_1", label: "x".repeat(2_000), hint: "web" },
      { value: "prj_2", label: "Docs", hint: "no linked repository" },
    ],
    next: null,
  });
});
