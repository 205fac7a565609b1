import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { builtExpressions } from "./support/built-expressions.ts";
import {
  literalsOfSource,
  nameOf,
  patternsOfContract,
  recordedAsSafe,
  repeatsNothing,
  sourceFiles,
  verdictOf,
} from "./support/check-expressions.ts";
import { builtIn, literalsIn } from "./support/regexp-literals.ts";

/** What may take more than linear time, and why its text is short or our own. */
const bounded = new Map([
  [String.raw`/\/+$/`, "a setting, which the operator writes"],
  [String.raw`/^-- only (sqlite|postgres)\n([\s\S]*?)^-- end\n/gm`, "our own migrations"],
  [String.raw`/\/\* sqlite: (.*?) \*\//g`, "our own migrations"],
  ["/^_+|_+$/g", "the first 60 characters of a tool's title"],
  [String.raw`/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g`, "our own documentation"],
  [
    "/`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*|!\\[([^[\\]]*)\\]\\(([^()\\s]+)\\)|\\[((?:[^[\\]`]|`[^`]*`)+)\\]\\(([^()\\s]+)\\)|<(https?:[^<>\\s]+)>/g",
    "our own documents",
  ],
]);

const seconds = 1000;
const parts = 16;
const partOf = (name: string): number => Number.parseInt(hash("sha256", name).slice(0, 4), 16) % parts;
const partToday = Math.floor(Date.now() / (24 * 3600 * seconds)) % parts;
/** A machine that does much else may need long for one. The author of a complicated one records it once. */
const freshMilliseconds = 60 * seconds;

describe("our own regular expressions", () => {
  const literals = literalsOfSource();
  const recorded = new Set(recordedAsSafe());
  const repeating = literals.filter((literal) => !repeatsNothing(literal));

  // Each runs on what callers and systems write: one that takes more than linear time lets them stop the event loop.
  test("take linear time, or read short text only", async () => {
    const unsafe: string[] = [];
    for (const literal of repeating) {
      const name = nameOf(literal);
      if (recorded.has(name) || bounded.has(name)) continue;
      const verdict = await verdictOf(literal, freshMilliseconds);
      const attack = verdict.status === "vulnerable" ? `, for example on ${verdict.attack}` : "";
      if (verdict.status !== "safe")
        unsafe.push(`${literal.file}:${literal.line} ${name} is ${verdict.status}${attack}`);
    }
    expect(unsafe, "record safe ones with node test/attacks/support/check-expressions.ts").toEqual([]);
  });

  // All of them take minutes, so each day has its part. One that cannot be decided in time is no finding: it was decided when it was recorded.
  test("have correct records: a sixteenth of them, another each day, is checked again", async () => {
    const names = new Map(literals.map((literal) => [nameOf(literal), literal]));
    expect([...bounded.keys()].filter((name) => !names.has(name))).toEqual([]);
    for (const name of recorded) {
      const literal = names.get(name);
      if (!literal || partOf(name) !== partToday) continue;
      const verdict = await verdictOf(literal, 2 * seconds);
      expect(verdict, `${name} is recorded as safe`).not.toMatchObject({ status: "vulnerable" });
    }
  });

  test("that the program builds at run time are listed as they are written", () => {
    const found = sourceFiles().flatMap(({ file, text }) =>
      builtIn(file, text).map((written) => `${file}: ${written}`),
    );
    expect(found.sort()).toEqual(builtExpressions.map(({ file, written }) => `${file}: ${written}`).sort());
  });

  test("that the program builds at run time take linear time, or read our own text only", async () => {
    const linear = builtExpressions.filter(({ readsOnly }) => readsOnly === undefined);
    const built = linear.flatMap((each) => each.built).filter((each) => !repeatsNothing(each));
    expect(built.length).toBeGreaterThan(1);
    for (const each of built) {
      const name = nameOf(each);
      if (recorded.has(name) || bounded.has(name)) continue;
      expect(await verdictOf(each, freshMilliseconds), name).toMatchObject({ status: "safe" });
    }
  });

  test("of the contract, those of its libraries included, take linear time", async () => {
    const patterns = patternsOfContract();
    expect(patterns.length).toBeGreaterThan(3);
    for (const source of patterns) {
      const names = ["", "u"].map((flags) => nameOf({ source, flags }));
      if (repeatsNothing({ source }) || names.some((name) => recorded.has(name))) continue;
      expect(await verdictOf({ source, flags: "u" }, freshMilliseconds), source).toMatchObject({ status: "safe" });
    }
  });

  test("are found wherever they are in a source file", () => {
    const text = [
      "const half = whole / 2 / parts[0] / f(1); // no /comment+/",
      "const one = /a[/\\]]+\\//gi.test(x) ? /b+/ : `€{y / 2} /c+/ €{/d`}/.source} \\` /e+/`;",
      "/* /f+/ */ if (/g+/u.test(x)) throw x;",
      "const s = \"/h+/\" + '/i+/';",
      'const page = <p title="/j+/">don\'t /k+/ {/l+/.source}</p>;',
    ]
      .join("\n")
      .replaceAll("€", "$");
    expect(literalsIn("x.tsx", text).map(nameOf)).toEqual(["/a[/\\]]+\\//gi", "/b+/", "/d`}/", "/g+/u", "/l+/"]);
  });
});
