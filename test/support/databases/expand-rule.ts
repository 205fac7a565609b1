import { dialectOf } from "../../../src/store/schema/statements.ts";

/*
 * "Expand, then contract": while nodes are upgraded one after the other, programs of the previous version use the new
 * schema. A migration may only add what they do not notice. What they no longer use goes with a later version, in a
 * migration that begins with `-- contract of NNNN`: the number of the migration that made it unneeded, which the
 * previous version knows already.
 */

const breaking: [shape: RegExp, why: string][] = [
  [/\bdrop\s+table\b/, "drops a table"],
  [/\bdrop\s+column\b/, "drops a column"],
  [/\bdrop\s+(view|function|type)\b/, "drops something that statements may name"],
  [/\brename\b/, "renames something"],
  [/\balter\s+column\b(?!.*\bdrop\s+not\s+null\b)/s, "changes a column"],
  [/\badd\s+(constraint|check|unique|foreign|primary)\b/, "adds a rule that rows of older programs may break"],
];

const nullable = /\badd\s+column\b(?=.*\bnot\s+null\b)(?!.*\bdefault\b)/s;
const uniqueIndex = /\bcreate\s+unique\s+index\s+(?:if\s+not\s+exists\s+)?\S+\s+on\s+(\w+)/;

/** Why programs of the previous version could not go on with the schema after this migration. Empty if they can. */
export function breaksOf(sql: string, previous: number): string[] {
  const contracted = /^-- contract of (\d{4})\b/.exec(sql)?.[1];
  if (contracted !== undefined && Number(contracted) <= previous) return [];
  if (contracted !== undefined)
    return [`contracts ${contracted}, which the previous version (${previous}) does not know`];
  const statements = dialectOf(sql, "postgres")
    .replace(/--.*$/gm, "")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.trim());
  const made = new Set(
    statements.map((each) => /^create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/.exec(each)?.[1] ?? ""),
  );
  return statements.flatMap((statement) => {
    const found = breaking.filter(([shape]) => shape.test(statement)).map(([, why]) => why);
    if (nullable.test(statement)) found.push("adds a column that older programs do not fill");
    const table = uniqueIndex.exec(statement)?.[1];
    if (table !== undefined && !made.has(table)) found.push("adds a rule that rows of older programs may break");
    return found;
  });
}
