/** The statements of a migration. A trigger or a function has semicolons inside. */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of script.split("\n")) {
    lines.push(line);
    const text = lines.join("\n");
    const isInside = /^\s*create trigger/im.test(text) && /\bbegin\b/i.test(text) && !/^\s*end;/im.test(text);
    const isQuoted = (text.match(/\$\$/g) ?? []).length % 2 === 1;
    if (!line.trimEnd().endsWith(";") || line.trimStart().startsWith("--") || isInside || isQuoted) continue;
    statements.push(text);
    lines = [];
  }
  const rest = lines.join("\n");
  return rest.replaceAll(/^\s*--.*$/gm, "").trim() === "" ? statements : [...statements, rest];
}
