import { dynamicText, type Value } from "../../store/db.ts";
import { type Column, type Condition, countTests, type Test } from "./condition.ts";
import { termOf } from "./person-values.store.ts";

/** Translates a condition into a `where` clause for `search.store.ts`. */

export type RecordKind = "people" | "groups";

/** SQL texts with up to this many tests recur, so the store prepares them once. */
const preparedTestsMax = 2;

/** The whole `where`, with a placeholder for every value from a caller. */
export function compile(
  kind: RecordKind,
  directoryId: string,
  condition: Condition | null,
): { where: string; values: Value[] } {
  const writer = new ConditionWriter(kind, directoryId);
  const own = kind === "people" ? "r.directory_id = $1 and r.deleted_at is null" : "r.directory_id = $1";
  if (!condition) return { where: own, values: writer.values };
  const remark = countTests(condition) > preparedTestsMax ? ` ${dynamicText}` : "";
  return { where: `${own} and ${writer.write(condition, "r")}${remark}`, values: writer.values };
}

export const columns: Record<RecordKind, Partial<Record<Column, string>>> = {
  people: {
    id: "user_id",
    userName: "user_name_key",
    externalId: "external_id",
    created: "created_at",
    lastModified: "updated_at",
  },
  groups: {
    id: "id",
    displayName: "display_name_key",
    externalId: "external_id",
    created: "created_at",
    lastModified: "updated_at",
  },
};

const signs = { gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

class ConditionWriter {
  readonly values: Value[];
  readonly #kind: RecordKind;

  constructor(kind: RecordKind, directoryId: string) {
    this.#kind = kind;
    this.values = [directoryId];
  }

  #placeholder(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** `row` is the alias of the table that the condition tests: the record, or an element of it. */
  write(condition: Condition, row: string): string {
    switch (condition.kind) {
      case "all":
        return `(${condition.of.map((each) => this.write(each, row)).join(" and ")})`;
      case "any":
        return `(${condition.of.map((each) => this.write(each, row)).join(" or ")})`;
      case "not":
        return `not ${this.write(condition.of, row)}`;
      case "constant":
        return condition.holds ? "(1 = 1)" : "(1 = 0)";
      case "column":
        return this.#column(condition.column, condition.test, row);
      case "value":
        return this.#value(condition.attribute, condition.test, row);
      case "has value":
        return this.#hasValue(condition.attributes, row);
      case "element":
        return this.#element(condition.attributes, condition.of, row);
      case "linked":
        return this.#linked(condition.of, row);
    }
  }

  get #id(): string {
    return this.#kind === "people" ? "user_id" : "id";
  }

  #column(column: Column, test: Test, row: string): string {
    if (column === "active") {
      if (test.op === "pr") return "(1 = 1)";
      const active = this.#placeholder(test.text === "true" ? 1 : 0);
      return `exists (select 1 from users u where u.id = ${row}.user_id and u.active = ${active})`;
    }
    if (column === "linkedId") return this.#text(`${row}.id`, test);
    if (column === "linkedDisplay") return this.#text(`${row}.display`, test);
    return this.#text(`${row}.${columns[this.#kind][column]}`, test);
  }

  // An uncorrelated subquery of ids, so that the database looks up the value first and the people after it. Inside an
  // element, other tests apply to the same element.
  #value(attribute: string, test: Test, row: string): string {
    const name = this.#placeholder(attribute);
    if (row === "e") {
      return `exists (select 1 from directory_values v where v.owner_id = e.owner_id and v.attribute = ${name}
                and v.element = e.element and ${this.#term("v", test)})`;
    }
    return `${row}.user_id in (select v.owner_id from directory_values v
              where v.directory_id = $1 and v.attribute = ${name} and ${this.#term("v", test)})`;
  }

  #hasValue(attributes: string[], row: string): string {
    const names = attributes.map((attribute) => this.#placeholder(attribute)).join(", ");
    if (row === "e") {
      return `exists (select 1 from directory_values v where v.owner_id = e.owner_id and v.attribute in (${names})
                and v.element = e.element)`;
    }
    return `${row}.user_id in (select v.owner_id from directory_values v where v.directory_id = $1 and v.attribute in (${names}))`;
  }

  #element(attributes: string[], inner: Condition, row: string): string {
    const lead = mostSelective(inner);
    if (lead) {
      const found = `e.attribute = ${this.#placeholder(lead.attribute)} and ${this.#term("e", lead.test)}`;
      return `${row}.user_id in (select e.owner_id from directory_values e
                where e.directory_id = $1 and ${found} and ${this.write(inner, "e")})`;
    }
    const names = attributes.map((attribute) => this.#placeholder(attribute)).join(", ");
    return `${row}.user_id in (select e.owner_id from directory_values e
              where e.directory_id = $1 and e.attribute in (${names}) and ${this.write(inner, "e")})`;
  }

  #linked(inner: Condition, row: string): string {
    const [other, otherId, display, mine] =
      this.#kind === "people"
        ? ["directory_groups", "id", "display_name_key", "user_id"]
        : ["directory_people", "user_id", "lower(x.display)", "group_id"];
    const theirs = this.#kind === "people" ? "group_id" : "user_id";
    const shown = display === "display_name_key" ? `x.${display}` : display;
    return `${row}.${this.#id} in (select m.${mine} from directory_group_members m
              join (select x.${otherId} as id, ${shown} as display from ${other} x where x.directory_id = $1) l
                on l.id = m.${theirs} where ${this.write(inner, "l")})`;
  }

  /** A stored value. Its start is indexed; a longer value is also compared in full. */
  #term(row: string, test: Test): string {
    const whole = `coalesce(${row}.whole, ${row}.term)`;
    if (test.op !== "eq" && test.op !== "sw") return this.#text(whole, test);
    const begin = termOf(test.text);
    if (begin !== test.text) {
      return `(${this.#text(`${row}.term`, { ...test, text: begin })} and ${this.#text(whole, test)})`;
    }
    return this.#text(`${row}.term`, test);
  }

  #text(expression: string, { op, text }: Test): string {
    if (op === "pr" || (text === "" && (op === "co" || op === "sw" || op === "ew")))
      return `(${expression} is not null)`;
    const present = `${expression} is not null`;
    const characters = [...text].length;
    switch (op) {
      case "eq":
        return `(${present} and ${expression} = ${this.#placeholder(text)})`;
      case "co":
        return `(${present} and replace(${expression}, ${this.#placeholder(text)}, '') <> ${expression})`;
      case "sw": {
        // A range from the text to the text followed by the highest character, which an index can serve.
        const [low, high] = [this.#placeholder(text), this.#placeholder(`${text}\u{10ffff}`)];
        const same = `substr(${expression}, 1, ${this.#placeholder(characters)}) = ${low}`;
        return `(${present} and ${expression} >= ${low} and ${expression} <= ${high} and ${same})`;
      }
      case "ew": {
        const length = this.#placeholder(characters);
        const end = `substr(${expression}, length(${expression}) - ${length} + 1)`;
        return `(${present} and length(${expression}) >= ${length} and ${end} = ${this.#placeholder(text)})`;
      }
      default:
        return `(${present} and ${expression} ${signs[op]} ${this.#placeholder(text)})`;
    }
  }
}

/** The test that drives the lookup: one that must hold in any case, and preferably one that few elements pass. */
function mostSelective(condition: Condition): { attribute: string; test: Test } | null {
  if (condition.kind === "value") return condition.test.op === "eq" || condition.test.op === "sw" ? condition : null;
  if (condition.kind !== "all") return null;
  const all = condition.of.map(mostSelective).filter((each) => each !== null);
  return all.find(({ attribute }) => !/\.(type|primary)$/.test(attribute)) ?? all[0] ?? null;
}
