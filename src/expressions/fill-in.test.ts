import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createCompute } from "../untrusted/compute.ts";
import { isExpression, partsOf } from "../untrusted/expression-syntax/split-text.ts";
import { evaluatorFor } from "./evaluate.ts";
import {
  ExpressionFailed,
  fillIn as fillInWith,
  isTrue as isTrueWith,
  textsWithBraces,
  type Values,
} from "./fill-in.ts";

const compute = createCompute({ processes: 2 });
afterAll(() => compute.close());
const evaluator = evaluatorFor({ compute, organizationId: "org_us_test" });
const fillIn = (template: unknown, known: Values) => fillInWith(template, known, evaluator);
const isTrue = (condition: string, known: Values) => isTrueWith(condition, known, evaluator);

const values: Values = {
  params: { branch: "main", count: 3, list: [1, 2], flag: false, nothing: null, deep: { "odd name": "x" } },
  steps: {
    latest: {
      status: "succeeded",
      output: {
        deployments: [
          { id: "a", state: "READY" },
          { id: "b", state: "ERROR" },
        ],
        one: [{ id: "only" }],
        nested: [[1, 2], [3]],
      },
    },
  },
  foreach: { item: { id: 7 }, index: 2 },
};

const failureOf = (template: unknown): Promise<ExpressionFailed> =>
  fillIn(template, values).then(
    (value) => Promise.reject(new Error(`It gave ${JSON.stringify(value)}.`)),
    (error) => {
      if (error instanceof ExpressionFailed) return error;
      throw error;
    },
  );

describe("values between steps", () => {
  test.each([
    ["{{params.branch}}", "main"],
    ["{{ params.count }}", 3],
    ["{{params.list}}", [1, 2]],
    ["{{params.flag}}", false],
    ["{{params.nothing}}", null],
    ["{{steps.latest.output.deployments[1].id}}", "b"],
    ["{{steps.latest.output.deployments.id}}", ["a", "b"]],
    ["{{steps.latest.output.one.id}}", "only"],
    ["{{steps.latest.output.one}}", [{ id: "only" }]],
    ["{{steps.latest.output.nested[0]}}", [1, 2]],
    ["{{steps.latest.status}}", "succeeded"],
    ["{{foreach.item.id}}", 7],
    ["{{foreach.index}}", 2],
    ["{{ $count(steps.latest.output.deployments) > 0 }}", true],
    ["{{ params.deep.`odd name` }}", "x"],
    ["{{ steps.latest.output.deployments[state = 'READY'].id }}", "a"],
    ["{{ steps.latest.output.deployments[id = $params.branch] }}", null],
    ["{{ $map(params.list, function($n) { $n * params.count }) }}", [3, 6]],
    ['{{ {"a": {"b": params.count}} }}', { a: { b: 3 } }],
    ['{{{"a": params.count}}}', { a: 3 }],
    ['{{ "}}" }}', "}}"],
    ['{{ "{{lead.name}}" }}', "{{lead.name}}"],
    ["no braces", "no braces"],
    ["{ single }", "{ single }"],
  ])("%s gives %j", async (template, expected) => {
    expect(await fillIn(template, values)).toEqual(expected);
  });

  test("within other text a value is written as text", async () => {
    const template = "{{params.branch}}: {{params.count}}, {{params.list}}, {{params.nothing}}{{params.missing}}.";
    expect(await fillIn(template, values)).toBe("main: 3, [1,2], .");
  });

  test("a whole template is filled, and a member without a value is left out", async () => {
    const template = {
      project: "web",
      branch: "{{params.branch}}",
      sha: "{{params.sha}}",
      list: ["{{params.sha}}", 1],
    };
    expect(await fillIn(template, values)).toEqual({ project: "web", branch: "main", list: [null, 1] });
    expect(await fillIn("{{params.sha}}", values)).toBeNull();
  });

  test("a template without expressions is returned as it is", async () => {
    const template = { a: [1, { b: "c" }], n: null };
    expect(await fillIn(template, values)).toBe(template);
  });

  test("names of members are never expressions", async () => {
    expect(await fillIn({ "{{params.branch}}": "{{params.count}}" }, values)).toEqual({ "{{params.branch}}": 3 });
  });

  test("a filled-in value is not read as an expression again", async () => {
    const sly = { ...values, params: { text: "{{ $now() }}" } };
    expect(await fillIn(["{{params.text}}", "> {{params.text}}"], sly)).toEqual(["{{ $now() }}", "> {{ $now() }}"]);
  });

  test("plain paths return the same as the evaluator", async () => {
    // As it would arrive: JSON has no -0.
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const hop = fc.oneof(fc.constantFrom(".a", ".b", "[0]", "[1]"), fc.constant(".c"));
    const data = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, json, tie("object"), fc.array(tie("any"), { maxLength: 2 })),
      object: fc.record({ a: tie("any"), b: tie("any") }, { requiredKeys: [] }),
    })).any;
    await fc.assert(
      fc.asyncProperty(data, fc.array(hop, { maxLength: 4 }), async (params, hops) => {
        const given = { params, steps: {} };
        const plain = await fillIn(`{{params${hops.join("")}}}`, given);
        // A block around it makes it an expression like any other.
        const evaluated = await fillIn(`{{(params${hops.join("")})}}`, given);
        expect(plain).toEqual(evaluated);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a condition", () => {
  test.each([
    ["{{ params.count > 2 }}", true],
    ["{{ params.count > 3 }}", false],
    [" {{ params.count > 3 }}\n", false],
    ["{{params.flag}}", false],
    ["{{params.missing}}", false],
    ["{{params.nothing}}", false],
    ["{{params.list}}", true],
    ["{{ [0, ''] }}", false],
    ["{{ {} }}", false],
    ["{{params.branch}}", true],
  ])("%s is %s", async (condition, expected) => {
    expect(await isTrue(condition, values)).toBe(expected);
  });
});

describe("expressions that fail", () => {
  test.each([
    ["{{ params. }}", /end of expression|syntax/i],
    ["{{ }}", /nothing between/],
    ["{{params.x", /not closed/],
    ["{{ $eval('params') }}", /\$eval is not available/],
    ["{{ $sum('x') }}", /argument/i],
    ["{{ $uppercase }}", /function, not a value/],
    ["{{ [$uppercase] }}", /function, not a value/],
    ["{{ function($x) { $x } }}", /function, not a value/],
    ["{{ $error('as asked') }}", /as asked/],
    [`{{ ${"(".repeat(3_000)}1${")".repeat(3_000)} }}`, /at most 4000 characters|cannot be read/],
  ])("%s is an error with a sentence", async (template, why) => {
    const failed = await failureOf({ input: [template] });
    expect([failed.pointer, failed.reason]).toEqual(["/input/0", "failed"]);
    expect(failed.detail).toMatch(why);
  });

  test.each([
    ["{{ ($f := function($x) { $f($x + 1) }; $f(1)) }}", "too long"],
    ["{{ ($f := function($x) { 1 + $f($x + 1) }; $f(1)) }}", "too deep"],
    ["{{ [1..1000000] }}", "too big"],
    ["{{ [1..100000].[1..100000] }}", "too"],
    ["{{ $match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', /^(a+)+$/) }}", "too long"],
    ["{{ ($a := [1,1]; $d := function($x, $n) { $n = 0 ? $x : $d([$x, $x], $n - 1) }; $string($d([1], 60))) }}", "too"],
    ["{{ $length($pad('x', 400000000)) }}", "too"],
    ["{{ ($s := function($x, $n) { $n = 0 ? $x : $s($x & $x, $n - 1) }; $length($s('xxxxxxxx', 27))) }}", "too"],
    ["{{ $pad('x', 5000000) }}", "too big"],
  ])("%s ends, and the next expression is evaluated normally", async (template, reason) => {
    const others = fillIn("{{ params.count + 1 }}", values);
    const [failed, after] = await Promise.all([failureOf(template), fillIn("{{ params.count + 2 }}", values)]);
    expect(failed.reason).toMatch(new RegExp(`^${reason}`));
    expect([await others, after]).toEqual([4, 5]);
  });

  test("nothing but the values can be reached", async () => {
    for (const name of ["process", "globalThis", "require", "constructor", "__proto__", "toString"]) {
      expect(await fillIn(`{{ $exists(${name}) }}`, values)).toBe(false);
      expect(await fillIn(`{{ $exists(params.${name}) }}`, values)).toBe(false);
      expect(await fillIn(`{{params.${name}}}`, values)).toBeNull();
      expect(await fillIn(`{{params.branch.${name}}}`, values)).toBeNull();
      expect(await fillIn(`{{ $lookup(params, "${name}") }}`, values)).toBeNull();
    }
  });

  test("a member called __proto__ is a member, and changes no other object", async () => {
    const template = JSON.parse('{"__proto__": {"polluted": "{{params.count}}"}}');
    const filled = await fillIn(template, values);
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"polluted":3}}');
    await fillIn('{{ $merge([{}, {"__proto__": {"polluted": true}}, {"constructor": {"prototype": 1}}]) }}', values);
    await fillIn('{{ params ~> |$|{"__proto__": {"polluted": true}}| }}', values).catch(() => {});
    expect(await fillIn("{{ $exists(params.polluted) }}", values)).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("an expression cannot change the values for the next", async () => {
    const before = JSON.stringify(values);
    await fillIn("{{ params ~> |$|{'count': 99}| }}", values);
    await fillIn("{{ $append(params.list, 3) }}", values);
    expect(JSON.stringify(values)).toBe(before);
  });

  test("whatever is between braces, there is a value or an ExpressionFailed", async () => {
    const words = [
      "params",
      "steps",
      ".",
      "$",
      "$$",
      "[",
      "]",
      "(",
      ")",
      "{",
      "}",
      "'",
      '"',
      "/",
      "*",
      "**",
      "%",
      "@",
      "#",
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, async (parts) => {
        await fillIn(`{{${parts.join("")}}}`, values).catch((error) => expect(error).toBeInstanceOf(ExpressionFailed));
      }),
      { numRuns: 500 },
    );
  });
});

describe("references", () => {
  test.each([
    ["{{steps.a.output.x}}", ["a"], []],
    ["{{params.x}} {{params.y.z}}", [], ["x"]],
    ["{{ $count(steps.a.output) + $sum(steps.b.output.n) }}", ["a", "b"], []],
    ["{{ steps.a.output[id = $$.params.x].steps.c }}", ["a"], ["x"]],
    ["{{ $steps.a.output[id = $params.x] }}", ["a"], ["x"]],
    ["{{ (params.x = 1 ? steps.a : steps.b).output }}", ["a", "b"], ["x"]],
    ["{{ $map(steps.a.output, function($v) { $v.id & params.x }) }}", ["a"], ["x"]],
    ["{{ $.steps.a.output }}", ["a"], []],
    ["{{ broken", [], []],
  ])("%s", (template, steps, params) => {
    const [found] = textsWithBraces({ deep: [template] }, partsOf);
    const references = found?.parts.find(isExpression)?.references;
    const named = references?.steps.map(({ name }) => name);
    expect([[...new Set(named)], [...new Set(references?.params)]]).toEqual([steps, params]);
    expect(found?.pointer).toBe("/deep/0");
  });
});
