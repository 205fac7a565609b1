/** What is asked of people or groups: a filter whose names mean columns and kept values, and whose texts are ready to compare. */
export type Condition =
  | { kind: "all" | "any"; of: Condition[] }
  | { kind: "not"; of: Condition }
  | { kind: "constant"; holds: boolean }
  /** A column of the record itself. */
  | { kind: "column"; column: Column; test: Test }
  /** One of the values kept under this name. */
  | { kind: "value"; attribute: string; test: Test }
  /** Any value kept under any of these names. */
  | { kind: "has value"; attributes: string[] }
  /** One element of a list for which all of this holds; inside, "value" and "has value" look at that element. */
  | { kind: "element"; attributes: string[]; of: Condition }
  /** One group of a person, or one member of a group; inside, "column" looks at that. */
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

/** How many tests it holds. Plain ones are few, and the store may prepare them once; composed ones are of any number. */
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
