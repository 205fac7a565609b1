/**
 * What stands between double braces in a text. Each text is searched from one end to the other once: a tool's author
 * chooses it, and others open it.
 */

/** The text with each `{{expression}}` replaced. */
export function replaceExpressions(text: string, replace: (expression: string) => string): string {
  let result = "";
  let from = 0;
  while (true) {
    const start = text.indexOf("{{", from);
    const end = start < 0 ? -1 : text.indexOf("}}", start + 2);
    if (end < 0) return result + text.slice(from);
    result += text.slice(from, start) + replace(text.slice(start + 2, end));
    from = end + 2;
  }
}

export function expressionsIn(text: string): string[] {
  const found: string[] = [];
  replaceExpressions(text, (expression) => {
    found.push(expression);
    return "";
  });
  return found;
}

/** The text with one more expression at its end. A text that is one expression and nothing else is replaced. */
export function addExpression(text: string, expression: string): string {
  const isOneAlone = expressionsIn(text).length === 1 && replaceExpressions(text, () => "").trim() === "";
  return `${isOneAlone ? "" : text}{{${expression}}}`;
}
