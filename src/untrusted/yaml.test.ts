import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromYaml as fromYamlUpTo, toYaml } from "./yaml.ts";

const fromYaml = (text: string) => fromYamlUpTo(text, 128 * 1024);

const toolWith = (value: unknown) => ({
  title: "t",
  params_schema: { type: "object" },
  steps: [{ name: "a", step: "wait", input: { value } }],
});

const texts = [
  "",
  " ",
  "null",
  "~",
  "true",
  "yes",
  "no",
  "on",
  "1",
  "1e3",
  "0x1F",
  "0o17",
  ".inf",
  ".nan",
  "-",
  "- a",
  "a: b",
  "a #b",
  "# a",
  "&a",
  "*a",
  "!a",
  "|",
  ">",
  "%a",
  "@a",
  "`a`",
  "'",
  '"',
  "{{params.x}}",
  '{{ {"a": 1} }}',
  "[a]",
  "{a}",
  "<<",
  "---",
  "...",
  "a\nb",
  "a\nb\n",
  "a\n\n",
  "\na",
  " a\n b",
  "a \n b ",
  "a\r\nb",
  "\r",
  "\t",
  "a\tb",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\u0000",
  "\u001b",
  "\u007f",
  "\ud800",
  "é𝒳👩‍👧",
  "2026-01-01",
  "12:30:45",
  "=",
  "?",
  "? a",
  ": a",
  "x".repeat(300),
  `${"long words ".repeat(40)}\nand a second line`,
];

describe("export and import as YAML, round-trip exact", () => {
  test.each(texts.map((text) => [text]))("%j", (text) => {
    const definition = toolWith({ [text]: text, list: [text, { [text]: [text] }] });
    const read = fromYaml(toYaml(definition));
    expect(JSON.stringify("value" in read ? read.value : read)).toBe(JSON.stringify(definition));
  });

  test("any definition", () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
    const odd = fc.constantFrom<unknown>(...texts, 0, -1, 1.5, 1e21, 1e-7, 2 ** 53, true, false, null, [], {}, [[]]);
    fc.assert(
      fc.property(fc.oneof(json, fc.array(fc.oneof(odd, json))), (value) => {
        // JSON has no -0.
        const definition = JSON.parse(JSON.stringify(toolWith(value)));
        const read = fromYaml(toYaml(definition));
        expect(JSON.stringify("value" in read ? read.value : read)).toBe(JSON.stringify(definition));
      }),
      { numRuns: 300 },
    );
  });

  test("the YAML is readable for people", () => {
    const definition = {
      title: "Redeploy a branch",
      params_schema: { type: "object" },
      steps: [{ name: "latest", step: "list_deployments", connection_id: "con_1", input: { branch: "{{params.b}}" } }],
      output: "{{steps.latest.output}}",
    };
    expect(toYaml(definition)).toBe(`title: Redeploy a branch
params_schema:
  type: object
steps:
  - name: latest
    step: list_deployments
    connection_id: con_1
    input:
      branch: "{{params.b}}"
output: "{{steps.latest.output}}"
`);
  });
});

describe("a text that is no value of JSON is refused", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
    .split("")
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`)
    .join("\n")}`;
  test.each([
    ["a: b: c", ""],
    ["title: x\ntitle: y", ""],
    ["title: .inf\nsteps: []", "/title"],
    ["title: !!binary aGk=\nsteps: []", "/title"],
    ["a: &a [*a]", ""],
    [bomb, ""],
    ["--- {}\n--- {}", ""],
    ["a: {? [b] : c}", "/a"],
  ])("%s", (text, pointer) => {
    const read = fromYaml(text);
    expect("errors" in read && read.errors[0]).toMatchObject({ pointer, code: "invalid_yaml" });
  });

  // Each of these once blocked the whole server, from half a minute to forever.
  test.each([
    ["as many members as fit", Array.from({ length: 16_000 }, (_, index) => `k${index}: 1`).join("\n"), ""],
    ["names within names", `${"? ".repeat(900)}a`, ""],
    [
      "an alias for each anchor",
      Array.from({ length: 3_000 }, (_, index) => `k${index}: &a${index} 1\nl${index}: *a${index}`).join("\n"),
      "/l100",
    ],
  ])("and quickly: %s", (_what, text, pointer) => {
    expect(text.length).toBeLessThan(256 * 1024);
    const read = fromYaml(text);
    expect("errors" in read && read.errors[0]?.pointer).toBe(pointer);
  });
});
