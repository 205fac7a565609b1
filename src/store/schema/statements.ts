import type { Store } from "../db.ts";

/**
 * One text for both databases. Triggers are written twice, between `-- only sqlite` and `-- end`. Text for SQLite only
 * stands in a comment that starts with its name; it is uncommented here.
 */
export function dialectOf(sql: string, kind: Store["kind"]): string {
  const text = sql.replace(/^-- only (sqlite|postgres)\n([\s\S]*?)^-- end\n/gm, (_, only: string, block: string) =>
    only === kind ? block : "",
  );
  return kind === "sqlite" ? text.replace(/\/\* sqlite: (.*?) \*\//g, "$1") : text;
}

/** The statements of a migration. A trigger or a function has semicolons inside. */
export function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of script.split("\n")) {
    lines.push(line);
    const text = lines.join("\n");
    const isInside = /^[ \t]*create trigger/im.test(text) && /\bbegin\b/i.test(text) && !/^[ \t]*end;/im.test(text);
    const isQuoted = (text.match(/\$\$/g) ?? []).length % 2 === 1;
    if (!line.trimEnd().endsWith(";") || line.trimStart().startsWith("--") || isInside || isQuoted) continue;
    statements.push(text);
    lines = [];
  }
  const rest = lines.join("\n");
  return withoutComments(rest) === "" ? statements : [...statements, rest];
}

/** Whole lines of comments, before a statement or inside. */
export const withoutComments = (statement: string): string => statement.replaceAll(/^[ \t]*--.*$/gm, "").trim();

/** An index on a table that existed before its migration, so that it may have very many rows, and users. */
export interface LateIndex {
  name: string;
  table: string;
  isUnique: boolean;
  /** What follows the table in its statement: columns and condition. */
  on: string;
}

const indexShape = /^create\s+(unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+(\w+)\s*(.*?);?$/is;
const tableShape = /^create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/i;

/**
 * A migration for PostgreSQL in two parts: what belongs into one transaction, and the indexes that are built after it, while
 * others use the tables.
 */
export function partsOf(sql: string): { statements: string[]; lateIndexes: LateIndex[] } {
  const made = new Set<string>();
  const statements: string[] = [];
  const lateIndexes: LateIndex[] = [];
  for (const statement of statementsOf(dialectOf(sql, "postgres"))) {
    const text = withoutComments(statement);
    const table = tableShape.exec(text)?.[1];
    if (table) made.add(table.toLowerCase());
    const index = indexShape.exec(text);
    if (index && !made.has((index[3] ?? "").toLowerCase())) {
      const [, unique, name = "", of = "", on = ""] = index;
      lateIndexes.push({ name: name.toLowerCase(), table: of.toLowerCase(), isUnique: unique !== undefined, on });
    } else statements.push(statement);
  }
  return { statements, lateIndexes };
}
