import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systems } from "../../src/systems/index.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Reads "90 seconds (marketing automation: 100)" after these words: a number for every system, and those that differ. */
function statedAfter(text: string, words: string): (inSentence: string) => number {
  const [, usual, others = ""] = new RegExp(`${words} (\\d+) seconds(?: \\(([^)]*)\\))?`).exec(text) ?? [];
  const own = new Map(others.split(", ").map((each) => each.split(": ") as [string, string]));
  return (inSentence) => Number(own.get(inSentence) ?? usual);
}

// "Believe 'not there' only after the longest time that system may still take (a fact of the system)."
describe.each(systems.map((system) => [system.id, system] as const))("%s", (id, system) => {
  const { inSentence, settlesWithinSeconds: settles, worksSecondsMax: works } = system;

  test("has settled only once it can no longer be working on a call", () => {
    expect(settles ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(works);
    const ofRequest = system.worksSecondsOf?.({ method: "POST", path: "/rest/v1/leads.json" }) ?? works;
    expect(ofRequest).toBeLessThanOrEqual(works);
  });

  test("settles within the time that the documents state", () => {
    const row = read("docs/lost-answers.md").match(new RegExp(`^\\| ${id} \\| (\\d+) \\|`, "im"));
    expect(Number(row?.[1])).toBe(settles);
    expect(statedAfter(read("README.md"), "carries out nothing later than")(inSentence)).toBe(settles);
    expect(statedAfter(read("docs/reliability.md"), "executes nothing later than")(inSentence)).toBe(settles);
  });

  test("works on a call for as long as the documents state", () => {
    expect(statedAfter(read("README.md"), "works on a call for at most")(inSentence)).toBe(works);
  });
});
