import { randomUUID } from "node:crypto";
import { type Answer, type Check, checked, filled, send, type Target, valueAt } from "./suite.ts";

/** Okta's suite, in the format of the service that Okta runs it with: requests with assertions as data. */
export interface OktaSuite {
  name: string;
  steps: (RequestStep | { step_type: "pause" })[];
}

interface RequestStep {
  step_type: "request";
  note: string;
  method: string;
  url: string;
  headers: Record<string, string[]>;
  body?: string;
  assertions: Assertion[];
  variables: { name: string; property: string }[];
}

interface Assertion {
  comparison: string;
  source: string;
  value: string | null;
  property?: string;
}

export const isOktaSuite = (suite: object): suite is OktaSuite => "steps" in suite && "trigger_url" in suite;

export async function* runOktaSuite({ steps }: OktaSuite, { baseUrl, token }: Target): AsyncGenerator<Check> {
  const values = new Map(Object.entries(variables(baseUrl, token)));
  // The suite expects a server with people in it.
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  await send("POST", `${baseUrl}/Users`, headers, JSON.stringify(somebody));
  for (const step of steps) {
    if (step.step_type !== "request") continue;
    const own = Object.entries(step.headers).map(([name, [value = ""]]): [string, string] => [
      name,
      filled(value, values),
    ]);
    const answer = await send(
      step.method,
      filled(step.url, values),
      Object.fromEntries(own),
      step.body && filled(step.body, values),
    );
    for (const { name, property } of step.variables) values.set(name, String(valueAt(answer.text, property)));
    for (const assertion of step.assertions) {
      const expected = assertion.value === null ? null : filled(assertion.value, values);
      const { source, property = "", comparison } = assertion;
      const name = [step.note, `${source} ${property} ${comparison} ${expected ?? ""}`].join(": ");
      yield checked(name, () => compare(assertion, expected, answer));
    }
  }
}

const somebody = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName: "somebody@example.com",
  name: { givenName: "Some", familyName: "Body" },
  emails: [{ primary: true, type: "work", value: "somebody@example.com" }],
  active: true,
};

/** As Okta's guide says that they are to be set. */
function variables(baseUrl: string, token: string): Record<string, string> {
  const name = `user-${randomUUID().slice(0, 8)}`;
  return {
    SCIMBaseURL: baseUrl,
    auth: `Bearer ${token}`,
    InvalidUserEmail: "nobody@example.com",
    UserIdThatDoesNotExist: "010101001010101011001010101011",
    randomEmail: `${name}@example.com`,
    randomUsername: `${name}@example.com`,
    randomUsernameCaps: `${name}@example.com`.toUpperCase(),
    randomGivenName: "Robin",
    randomFamilyName: "Park",
  };
}

function compare({ comparison, source, property = "" }: Assertion, expected: string | null, answer: Answer): void {
  const actual = actualOf(source, property, answer);
  if (!comparisons[comparison]?.(actual, expected ?? ""))
    throw new Error(`${JSON.stringify(actual)} in ${answer.status} ${answer.text}`);
}

function actualOf(source: string, property: string, { status, text, milliseconds }: Answer): unknown {
  if (source === "response_status") return status;
  if (source === "response_time") return milliseconds;
  return valueAt(text, property);
}

const comparisons: Record<string, (actual: unknown, expected: string) => boolean> = {
  equal: (actual, expected) => String(actual) === expected,
  equal_number: (actual, expected) => Number(actual) === Number(expected),
  is_a_number: (actual) => typeof actual === "number",
  is_less_than: (actual, expected) => Number(actual) < Number(expected),
  contains: (actual, expected) => JSON.stringify(actual).includes(expected),
  has_value: (actual, expected) => Array.isArray(actual) && actual.includes(expected),
  not_empty: (actual) => actual !== undefined && actual !== null && String(actual) !== "",
};
