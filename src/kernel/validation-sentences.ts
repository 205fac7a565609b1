import * as z from "zod";

/**
 * What zod finds wrong, in sentences for the people who read an error: zod's own are for developers ("Too small: expected string to
 * have >=1 characters"). A schema's own message comes first. Importing this file sets it for the whole process.
 */
export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "This member is required."
        : `Expected ${typeNames[issue.expected] ?? issue.expected}, received ${typeOf(issue.input)}.`;
    case "too_small":
      return boundOf(issue.origin, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return boundOf(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "invalid_value":
      return issue.values.length === 1
        ? `It must be ${JSON.stringify(issue.values[0])}.`
        : `It must be one of ${listed(issue.values)}.`;
    case "unrecognized_keys":
      return issue.keys.length === 1
        ? `There is no member ${JSON.stringify(issue.keys[0])} here.`
        : `There are no members ${listed(issue.keys)} here.`;
    case "invalid_format":
      return formats[issue.format] ?? "It does not have the expected form.";
    case "not_multiple_of":
      return `It must be a multiple of ${issue.divisor}.`;
    case "invalid_union":
      return "It has none of the allowed forms.";
    default:
      return undefined;
  }
}

z.config({ customError: plainIssue });

const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "a boolean",
  array: "an array",
  tuple: "an array",
  object: "an object",
  record: "an object",
};

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeNames[typeof value] ?? typeof value;
};

const parts: Record<string, string> = { string: "character", array: "item", object: "member", record: "member" };

/** "It must be at most 100.", "It must have at least 3 characters." */
function boundOf(origin: string, bound: number | bigint | Date, relation: string): string {
  const part = parts[origin];
  const shown = bound instanceof Date ? bound.toISOString() : String(bound);
  if (part === undefined) return `It must be ${relation} ${shown}.`;
  if (relation === "at least" && shown === "1") return "It must not be empty.";
  return `It must have ${relation} ${shown} ${part}${shown === "1" ? "" : "s"}.`;
}

const listedMax = 20;

/** Written once for each list: a schema of a user may have thousands of values, and a call thousands of mistakes. */
const listings = new WeakMap<readonly unknown[], string>();

function listed(values: readonly unknown[]): string {
  const known = listings.get(values);
  if (known !== undefined) return known;
  const shown = values.slice(0, listedMax).map((each) => JSON.stringify(each)?.slice(0, 50) ?? String(each));
  const more = values.length - listedMax;
  const text =
    more > 0 ? `${shown.join(", ")} and ${more} more` : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
  listings.set(values, text);
  return text;
}

const formats: Record<string, string> = {
  email: "It is not an e-mail address.",
  url: "It is not an address such as https://example.com.",
  datetime: "It is not a time such as 2027-01-31T09:00:00Z.",
  date: "It is not a day such as 2027-01-31.",
};
