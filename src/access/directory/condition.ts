/**
 * A filter on people or groups: names refer to columns and stored values, and texts are in the form in which they are
 * compared.
 */
export type Condition =
  | { kind: "all" | "any"; of: Condition[] }
  | { kind: "not"; of: Condition }
  | { kind: "constant"; holds: boolean }
  /** A column of the record itself. */
  | { kind: "column"; column: Column; test: Test }
  /** One of the values stored under this name. */
  | { kind: "value"; attribute: string; test: Test }
  /** Any value stored under any of these names. */
  | { kind: "has value"; attributes: string[] }
  /**
   * One element of a list that satisfies the whole condition; inside, "value" and "has value" refer to that element.
   */
  | { kind: "element"; attributes: string[]; of: Condition }
  /** One group of a person, or one member of a group; inside, "column" refers to it. */
  | { kind: "linked"; of: Condition };

export type Column =
  | "id"
  | "userName"
  | "displayName"
  | "externalId"
  | "active"
  | "created"
  | "lastModified"
  | "linkedId"
  | "linkedDisplay";

export interface Test {
  op: "eq" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le" | "pr";
  /** Unused for "pr". */
  text: string;
}

/** The number of tests. SQL texts with few tests recur, so the store prepares them once. */
export function countTests(condition: Condition): number {
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.of.reduce((sum, each) => sum + countTests(each), 0);
    case "not":
    case "element":
    case "linked":
      return countTests(condition.of);
    default:
      return 1;
  }
}
