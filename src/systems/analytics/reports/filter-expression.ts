import { anyObject } from "../../../kernel/any-object.ts";
import { listOf, memberOf, membersOf, textOf } from "../protocol/vendor-json.ts";

/** The system's own filter: a tree with one of four members in each node, and one test in each leaf. */
export type FilterExpression = Record<string, unknown>;

const nodes = ["andGroup", "orGroup", "notExpression", "filter"] as const;
const tests = ["stringFilter", "inListFilter", "numericFilter", "betweenFilter", "emptyFilter"] as const;
const depthMax = 20;

type Wrong = { path: (string | number)[]; message: string };

/** What is wrong with a tree, and where; null if its form is valid. The system checks the names. */
export function wrongWith(expression: unknown, path: (string | number)[] = [], depth = 1): Wrong | null {
  if (depth > depthMax) return { path, message: `Nest at most ${depthMax} deep.` };
  const node = membersOf(expression);
  const [kind, ...others] = nodes.filter((name) => memberOf(node, name) !== undefined);
  if (!kind || others.length > 0) return { path, message: `Give exactly one of ${nodes.join(", ")}.` };
  const inner = memberOf(node, kind);
  if (kind === "notExpression") return wrongWith(inner, [...path, kind], depth + 1);
  if (kind === "filter") return wrongWithFilter(inner, [...path, kind]);
  const expressions = listOf(membersOf(inner).expressions);
  const at = [...path, kind, "expressions"];
  if (expressions.length === 0) return { path: at, message: "Give at least one expression." };
  for (const [index, each] of expressions.entries()) {
    const wrong = wrongWith(each, [...at, index], depth + 1);
    if (wrong) return wrong;
  }
  return null;
}

function wrongWithFilter(value: unknown, path: (string | number)[]): Wrong | null {
  const filter = membersOf(value);
  if (textOf(memberOf(filter, "fieldName")) === "") return { path, message: "Name the field as `fieldName`." };
  const [test, ...others] = tests.filter((name) => memberOf(filter, name) !== undefined);
  if (!test || others.length > 0) return { path, message: `Give exactly one of ${tests.join(", ")}.` };
  return null;
}

export const Expression = anyObject().superRefine((expression, context) => {
  const wrong = wrongWith(expression);
  if (wrong) context.addIssue({ code: "custom", path: wrong.path, message: wrong.message });
});

export const all = (expressions: FilterExpression[]): FilterExpression | null =>
  expressions.length > 1 ? { andGroup: { expressions } } : (expressions[0] ?? null);
