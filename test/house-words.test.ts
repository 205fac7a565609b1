import { expect, test } from "vitest";
import { everyDocument, sourcesIn } from "./support/source/source-files.ts";

/** "House words and poetry cost every reader a minute, each time": in code, comments and documents for contributors, too. */

test("house words appear in no file: the field has words for them", () => {
  const house = new RegExp(
    [
      /\b(?:desks?|errands?|goe?s? dark|lies? apart|mend(?:s|ed|ing)?|whoever|unless told|placeOf|told ?book)\b/,
      /\b(?:ask(?:s|ed|ing)? together|(?:those|runs|work|calls|hands) of the (?:dead|gone))\b/,
      // What waits stands in a queue; a text may well come back, and stand in line 3.
      /\b(?:wait(?:s|ed|ing)?|st(?:ands?|ood)|next|first|last|place) in line\b(?! \d)/,
      /\b(?:accounts?|people|persons?|members?|users?|keys?|connections?) (?:has |have |had )?c[oa]mes? back\b/,
      /\bg(?:ives?|ave|iven|iving) (?:back (?:(?:its|the) )?memory|(?:(?:its|the) )?memory back)\b/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "i",
  );
  const samples = ["Whoever", "those of the\n   * dead", "The rest waits\n  in line.", "Members come back", "memory"];
  expect(samples.filter((text) => house.test(onOneLine(text)))).toEqual(samples.slice(0, -1));
  expect(house.test("It is recommended to wait in line 3, and users do not, because they come back.")).toBe(false);
  const all = [...["src", "test", "bench", "scripts", "sandboxes"].flatMap(sourcesIn), ...everyDocument()];
  const wrong = all.filter(
    ({ path, text }) => house.test(onOneLine(text)) && !/(?:house-|documents\/)words\.test/.test(path),
  );
  expect(all.map(({ path }) => path)).toEqual(expect.arrayContaining(["docs/architecture.md", "src/runs/README.md"]));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

/** Words that a comment or a document breaks over two lines stand beside each other. */
const onOneLine = (text: string): string => text.replace(/\s*\n\s*(?:(?:\*|\/\/) ?)?/g, " ");
