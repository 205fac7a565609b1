import { describe, expect, test } from "vitest";
import { wrongWith } from "./filter-expression.ts";
import { FilterRow, filtersOf, isMetricField, refuseFilter } from "./filters.ts";

const metrics = ["sessions", "customEvent:price"];
const dimensions = ["country"];
const halves = (...filters: FilterRow[]) => filtersOf({ metrics, dimensions, filters });
const text = (matchType: string, value: string) => ({
  filter: { fieldName: "country", stringFilter: { matchType, value } },
});
const number = (operation: string, value: object) => ({
  filter: { fieldName: "sessions", numericFilter: { operation, value } },
});

describe("filters as a simple list", () => {
  test.each<[FilterRow["operator"], FilterRow["value"], object]>([
    ["equals", "France", text("EXACT", "France")],
    ["not_equals", "France", { notExpression: text("EXACT", "France") }],
    ["contains", "ran", text("CONTAINS", "ran")],
    ["begins_with", "Fr", text("BEGINS_WITH", "Fr")],
    ["ends_with", "ce", text("ENDS_WITH", "ce")],
    ["matches", "^Fr|^Sp", text("PARTIAL_REGEXP", "^Fr|^Sp")],
    ["in", ["France", "Spain"], { filter: { fieldName: "country", inListFilter: { values: ["France", "Spain"] } } }],
    ["is_empty", undefined, { filter: { fieldName: "country", emptyFilter: {} } }],
  ])("on a dimension: %s %j", (operator, value, expected) =>
    expect(halves({ field: "country", operator, value })).toEqual({ dimensionFilter: expected }),
  );

  test.each<[FilterRow["operator"], FilterRow["value"], object]>([
    ["equals", 10, number("EQUAL", { int64Value: "10" })],
    ["equals", "10", number("EQUAL", { int64Value: "10" })],
    ["not_equals", 0.5, { notExpression: number("EQUAL", { doubleValue: 0.5 }) }],
    ["greater_than", 10, number("GREATER_THAN", { int64Value: "10" })],
    ["less_than", 1.5, number("LESS_THAN", { doubleValue: 1.5 })],
    [
      "between",
      [1, 2.5],
      {
        filter: {
          fieldName: "sessions",
          betweenFilter: { fromValue: { int64Value: "1" }, toValue: { doubleValue: 2.5 } },
        },
      },
    ],
    [
      "in",
      [1, 2],
      { orGroup: { expressions: [number("EQUAL", { int64Value: "1" }), number("EQUAL", { int64Value: "2" })] } },
    ],
  ])("on a metric: %s %j", (operator, value, expected) =>
    expect(halves({ field: "sessions", operator, value })).toEqual({ metricFilter: expected }),
  );

  test("all must hold, each on its own half, beside the full expressions", () => {
    const both = filtersOf({
      metrics,
      filters: [
        { field: "country", operator: "equals", value: "France" },
        { field: "sessions", operator: "greater_than", value: 1 },
      ],
      dimension_filter: text("CONTAINS", "x"),
    });
    expect(both).toEqual({
      dimensionFilter: { andGroup: { expressions: [text("CONTAINS", "x"), text("EXACT", "France")] } },
      metricFilter: number("GREATER_THAN", { int64Value: "1" }),
    });
  });

  test("upper and lower case are distinguished if requested", () => {
    expect(halves({ field: "country", operator: "in", value: ["France"], case_sensitive: true })).toEqual({
      dimensionFilter: { filter: { fieldName: "country", inListFilter: { values: ["France"], caseSensitive: true } } },
    });
  });

  test.each([
    ["sessions", true],
    ["country", false],
    ["customEvent:price", true],
    ["customEvent:plan", false],
    ["totalRevenue", true],
    ["keyEvents:purchase", true],
    ["sessionKeyEventRate:purchase", true],
    ["pagePath", false],
    ["whoKnows", false],
  ])("%s is a metric: %s", (field, expected) => expect(isMetricField(field, metrics, dimensions)).toBe(expected));

  test.each<[FilterRow, RegExp]>([
    [{ field: "sessions", operator: "contains", value: "1" }, /is a metric/],
    [{ field: "sessions", operator: "is_empty" }, /is a metric/],
    [{ field: "sessions", operator: "equals", value: "many" }, /takes numbers/],
    [{ field: "country", operator: "equals" }, /takes one value/],
    [{ field: "country", operator: "equals", value: ["a", "b"] }, /takes one value/],
    [{ field: "country", operator: "in", value: "France" }, /takes a list/],
    [{ field: "country", operator: "in", value: [] }, /takes a list/],
    [{ field: "country", operator: "between", value: [1] }, /two numbers/],
    [{ field: "country", operator: "is_empty", value: "x" }, /takes no value/],
  ])("%j is refused", (row, reason) =>
    expect(refuseFilter(row, isMetricField(row.field, metrics, dimensions))).toMatch(reason),
  );

  test("an operator that does not exist is refused", () => {
    expect(FilterRow.safeParse({ field: "country", operator: "like", value: "x" }).success).toBe(false);
  });
});

describe("full filter expressions", () => {
  test.each([
    [text("EXACT", "x"), null],
    [{ filter: { field_name: "country", in_list_filter: { values: ["x"] } } }, null],
    [{ notExpression: { orGroup: { expressions: [text("EXACT", "x")] } } }, null],
    [{}, ""],
    [{ andGroup: { expressions: [] } }, "andGroup.expressions"],
    [{ andGroup: { expressions: [text("EXACT", "x"), { filter: {} }] } }, "andGroup.expressions.1.filter"],
    [{ ...text("EXACT", "x"), notExpression: text("EXACT", "x") }, ""],
    [{ filter: { fieldName: "country" } }, "filter"],
    [{ filter: { fieldName: "country", stringFilter: {}, emptyFilter: {} } }, "filter"],
  ])("%j is wrong at %j", (expression, at) => expect(wrongWith(expression)?.path.join(".") ?? null).toBe(at));

  test("a bottomless one is refused, not followed", () => {
    let deep: object = text("EXACT", "x");
    for (let level = 0; level < 100; level++) deep = { notExpression: deep };
    expect(wrongWith(deep)?.message).toMatch(/at most 20 deep/);
  });
});
