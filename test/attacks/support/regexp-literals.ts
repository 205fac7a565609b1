/** One regular expression as the source has it, and where. */
export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** Behind these a slash divides; behind everything else it begins a regular expression. */
const endsAnExpression = /(?:[\w$)\]}]|["'`])$/;
/** Words behind which an expression begins all the same. */
const beginsAnExpression = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

/** Every literal of a TypeScript text: a walk that knows comments, strings and templates, and nothing else. */
export function literalsIn(file: string, text: string): Literal[] {
  const found: Literal[] = [];
  let at = 0;
  /** The code so far on this level, without strings and comments: enough of it to tell a division. */
  let before = "";

  const walkCode = (isEnd: (letter: string) => boolean): void => {
    let depth = 0;
    while (at < text.length) {
      const letter = text[at] as string;
      if (depth === 0 && isEnd(letter)) return;
      if (letter === "{") depth++;
      if (letter === "}") depth--;
      if (text.startsWith("//", at)) at = endOfLine(text, at);
      else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 2;
      else if (letter === '"' || letter === "'") skipString(letter);
      else if (letter === "`") walkTemplate();
      else if (letter === "/" && isExpressionNext()) takeLiteral();
      else {
        before = /\s/.test(letter) ? before : (before + letter).slice(-12);
        if (/\s/.test(letter) && /\w$/.test(before)) before += " ";
        at++;
      }
    }
  };
  const isExpressionNext = (): boolean => {
    const last = before.trimEnd();
    return !endsAnExpression.test(last) || beginsAnExpression.test(last);
  };
  const skipString = (quote: string): void => {
    at++;
    while (text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
    at++;
    before = '"';
  };
  const walkTemplate = (): void => {
    at++;
    while (text[at] !== "`") {
      if (text.startsWith("${", at)) {
        at += 2;
        before = "(";
        walkCode((letter) => letter === "}");
        at++;
      } else at += text[at] === "\\" ? 2 : 1;
    }
    at++;
    before = '"';
  };
  const takeLiteral = (): void => {
    const start = at + 1;
    let isInClass = false;
    for (at = start; isInClass || text[at] !== "/"; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === "[") isInClass = true;
      else if (text[at] === "]") isInClass = false;
    }
    const source = text.slice(start, at);
    const flags = /^[a-z]*/.exec(text.slice(at + 1, at + 12))?.[0] ?? "";
    found.push({ file, line: text.slice(0, start).split("\n").length, source, flags });
    at += 1 + flags.length;
    before = '"';
  };
  walkCode(() => false);
  return found;
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
};
