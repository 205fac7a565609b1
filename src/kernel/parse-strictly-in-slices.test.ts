import { expect, test } from "vitest";
import { parseStrictlyInSlices } from "./parse-strictly-in-slices.ts";
import { parseJson, smallCharacters } from "./strict-json.ts";

const max = { weight: 100_000, names: 20 };
const long = `"${"x".repeat(smallCharacters)}"`;
const list = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, n) => one(n)).join();

const texts: [name: string, text: string][] = [
  ["a small one", '{"a":[1,{"b":null}]}'],
  ["members of a group", `{"members":[${list(9000, (n) => `{"value":"usr_${n}"}`)}],"displayName":"x"}`],
  ["lists in lists", `[${long},[[1,[2,{"a":[]}]]],"{\\"a\\":1}"]`],
  ["a large text alone", long],
  ["a name twice, far apart", `{"a":1,"members":[${list(9000, (n) => `{"value":"usr_${n}"}`)}],"a":2}`],
  ["a name twice, deep inside", `[${long},[{"a":{"b":1,"b":1}}]]`],
  ["too deep", `[${long},${"[".repeat(40)}${"]".repeat(40)}]`],
  ["too many values", `[${list(120_000, () => "1")}]`],
  ["too many names", `[${long},${list(30, (n) => `{"n${n}":1}`)}]`],
  ["no JSON", `[${long},]`],
  ["cut off", `[${long},{"a":1}`],
  ["more behind its end", `[${long}] 1`],
];

test.each(texts)(
  "a text that is read in turns is taken, or refused, as one that is read at once: %s",
  async (_, text) => {
    const atOnce = (() => {
      try {
        return { value: parseJson(text, 32, max) };
      } catch (error) {
        return { refused: error };
      }
    })();
    const inTurns = await parseStrictlyInSlices(text, 32, max).then(
      (value) => ({ value }),
      (refused: unknown) => ({ refused }),
    );
    expect(inTurns).toEqual(atOnce);
  },
);
