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

const rows = /^(insert|update|delete|with|select|do)\b|^create\s+table\b.*\bas\s+(select|with)\b/s;
const strongLock =
  /^(?:alter\s+table|drop\s+table|lock\s+table|truncate|drop\s+trigger.*?\bon|create\s+(?:or\s+replace\s+)?trigger.*?\bon)\s+(?:if\s+exists\s+|only\s+)?(\w+)/s;
const references = /\breferences\s+(\w+)/g;
const tableMade = /^create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/;

const reading: [shape: RegExp, why: string][] = [
  [
    /\badd\s+column\b(?=.*\b(default\s+(?!'|-?\d|null\b|true\b|false\b)|generated\s+always|references|unique|primary))/s,
    "adds a column for which it reads every row",
  ],
  [
    /\bset\s+not\s+null\b|\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/,
    "changes a column for which it reads every row",
  ],
  [
    /\badd\s+(constraint|check|unique|foreign|primary)\b(?!.*\bnot\s+valid\b)/s,
    "adds a rule for which it reads every row",
  ],
];

/** Why others could not use a table for as long as its rows take, during this migration. Empty if they can. */
export function holdsOf(sql: string): string[] {
  const statements = partsOf(sql).statements.map((statement) => withoutComments(statement).toLowerCase());
  const made = new Set(statements.map((each) => tableMade.exec(each)?.[1] ?? ""));
  const isInUse = (table: string | undefined): boolean => table !== undefined && !made.has(table);
  const locked = statements.flatMap((statement) => [
    strongLock.exec(statement)?.[1],
    ...Array.from(statement.matchAll(references), (found) => found[1]),
  ]);
  // An index does not name its table when it is dropped.
  const isHeld = locked.some(isInUse) || statements.some((each) => /^drop\s+index\b/.test(each));
  const holds = statements.flatMap((each) => {
    const found = isInUse(strongLock.exec(each)?.[1]) ? reading.filter(([shape]) => shape.test(each)) : [];
    return [...found.map(([, why]) => why), ...builds(each, made)];
  });
  if (isHeld && statements.some((each) => rows.test(each)))
    holds.push("locks a table that is in use, and reads or writes rows before it lets it go: make two migrations");
  return holds;
}

/** An index is built beside others only if `partsOf` recognizes its statement, as the only one up to the end of its line. */
function builds(statement: string, made: ReadonlySet<string>): string[] {
  const found = statement.matchAll(/\bcreate\s+(?:unique\s+)?index\b(?:.*?\bon\s+(?:only\s+)?([\w.]+))?/gs);
  const isLate = Array.from(found, ([, table]) => table).some((table) => table === undefined || !made.has(table));
  return isLate ? ["builds an index while others wait: write `create index name on table …;` on lines of its own"] : [];
}
