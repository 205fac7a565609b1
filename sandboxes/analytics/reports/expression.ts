import { invalid } from "../wire/api-error.ts";

/** Arithmetic over metric names: `eventCount / totalUsers`, `(a + b) * 100`. */
export type Expression =
  | { kind: "number"; value: number }
  | { kind: "metric"; name: string }
  | { kind: "negative"; of: Expression }
  | { kind: "operation"; operator: string; left: Expression; right: Expression };

// Far more than anybody writes, and far less than would exhaust the stack.
const tokensMax = 1000;

export function parseExpression(text: string): Expression {
  const tokens = text.match(/\d+\.?\d*|[A-Za-z_][\w:]*|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const refuse = () => invalid(`Metric expression "${text.slice(0, tokensMax)}" is invalid.`);
  if (tokens.length > tokensMax) throw refuse();

  function term(): Expression {
    const token = tokens[at++];
    if (token === undefined) throw refuse();
    if (token === "(") {
      const inner = additions();
      if (tokens[at++] !== ")") throw refuse();
      return inner;
    }
    if (token === "-") return { kind: "negative", of: term() };
    if (/^\d/.test(token)) return { kind: "number", value: Number(token) };
    if (/^[A-Za-z_]/.test(token)) return { kind: "metric", name: token };
    throw refuse();
  }

  function chain(operators: string, next: () => Expression): Expression {
    let left = next();
    for (let operator = tokens[at]; operator !== undefined && operators.includes(operator); operator = tokens[at]) {
      at++;
      left = { kind: "operation", operator, left, right: next() };
    }
    return left;
  }

  const products = (): Expression => chain("*/", term);
  const additions = (): Expression => chain("+-", products);
  const parsed = additions();
  if (at < tokens.length) throw refuse();
  return parsed;
}

export function metricNames(expression: Expression): string[] {
  switch (expression.kind) {
    case "number":
      return [];
    case "metric":
      return [expression.name];
    case "negative":
      return metricNames(expression.of);
    case "operation":
      return [...metricNames(expression.left), ...metricNames(expression.right)];
  }
}

/** Dividing by nothing gives 0, as the vendor's own ratios do. */
export function evaluate(expression: Expression, metricValue: (metricName: string) => number): number {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "metric":
      return metricValue(expression.name);
    case "negative":
      return -evaluate(expression.of, metricValue);
    case "operation": {
      const left = evaluate(expression.left, metricValue);
      const right = evaluate(expression.right, metricValue);
      if (expression.operator === "+") return left + right;
      if (expression.operator === "-") return left - right;
      if (expression.operator === "*") return left * right;
      return right === 0 ? 0 : left / right;
    }
  }
}
