import { describe, expect, test } from "vitest";
import { detailOf, type Entry, shortDetails } from "./describe-entry.ts";

const names: Record<string, string> = {
  tol_us_1: "Release the shop",
  con_us_1: "Acme team",
  create_deployment: "Create Deployment",
};
const findName = (id: string): string | null => names[id] ?? null;
const entry = (target: string | null, details: Record<string, unknown>) => ({ target, details }) as Entry;

describe("a row of the audit log in one line", () => {
  test.each([
    ["an id among the details gives way to its name", "run_us_1", { tool_id: "tol_us_1" }, "Tool: Release the shop"],
    ["what was changed is named first", "tol_us_1", { version: 1 }, "Release the shop · Version: 1"],
    ["but not twice", "tol_us_1", { tool_id: "tol_us_1" }, "Tool: Release the shop"],
    [
      "a step is named with its account",
      null,
      { step_id: "create_deployment", connection_id: "con_us_1" },
      "Step: Create Deployment · Account: Acme team",
    ],
    [
      "nor where a title says it",
      "tol_us_1",
      { title: "Release the shop", steps: 2 },
      "Title: Release the shop · Steps: 2",
    ],
    ["settings are words", "con_us_1", { settings: { daily_quota: 50 } }, "Acme team · Settings: Daily quota 50"],
    ["a list of groups stays as it is", null, { rules: [{ effect: "allow" }] }, 'Rules: [{"effect":"allow"}]'],
    ["what is gone keeps its id", "tol_us_2", { tool_id: "tol_us_2" }, "Tool id: tol_us_2"],
    [
      "a role is a word",
      null,
      { email: "a@example.com", actions: ["role:viewer"] },
      "Email: a@example.com · Role: viewer",
    ],
    ["nothing is left out but what has no value", null, { approved: true, note: null }, "Approved: yes"],
  ])("%s", (_, target, details, line) => {
    expect(shortDetails(entry(target, details), findName)).toBe(line);
  });

  test("a text that happens to have no name stays as it was written", () => {
    expect(detailOf(["title", "Release"], findName)).toEqual(["Title", "Release"]);
  });
});
