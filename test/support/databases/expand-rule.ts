import { dialectOf, partsOf, withoutComments } from "../../../src/store/schema/statements.ts";

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

const rows = /^(insert|update|delete|with|select)\b/;
const strongLock =
  /^(?:alter\s+table|drop\s+table|lock\s+table|truncate|drop\s+trigger.*?\bon|create\s+trigger.*?\bon)\s+(?:if\s+exists\s+|only\s+)?(\w+)/s;
const references = /\breferences\s+(\w+)/g;
const reads =
  /\badd\s+column\b(?=.*\b(default\s+(?!'|-?\d|null\b|true\b|false\b)|generated\s+always|references|unique|primary))/s;

/** Why others could not use a table for as long as its rows take, during this migration. Empty if they can. */
export function holdsOf(sql: string): string[] {
  const statements = partsOf(sql).statements.map((statement) => withoutComments(statement).toLowerCase());
  const made = new Set(statements.map((each) => /^create\s+table\s+(\w+)/.exec(each)?.[1] ?? ""));
  const locked = statements.flatMap((statement) => [
    strongLock.exec(statement)?.[1],
    ...Array.from(statement.matchAll(references), (found) => found[1]),
  ]);
  const isHeld = locked.some((table) => table !== undefined && !made.has(table));
  const holds = statements.filter((each) => reads.test(each)).map(() => "adds a column for which it reads every row");
  if (isHeld && statements.some((each) => rows.test(each)))
    holds.push("locks a table that is in use, and reads or writes rows before it lets it go: make two migrations");
  return holds;
}
