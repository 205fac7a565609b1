import { readEmail } from "../../../access/email.ts";
import { nameIn, type Proof } from "../proof.ts";
import { samlRefused } from "./saml-refused.ts";

/** An element of the library's parser: attributes, text, and children by their names without prefixes. */
interface Element {
  $?: Record<string, string>;
  _?: string;
}

/** What the response has to match: our entity, our request, and the provider. */
export interface Expected {
  providerEntityId: string;
  ownEntityId: string;
  acsUrl: string;
  requestId: string;
}

const skewMilliseconds = 60_000;
const subjectCharactersMax = 255;
const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const formats = {
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
};

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const emailNames = [
  `${claims}/emailaddress`,
  "urn:oid:0.9.2342.19200300.100.1.3",
  ...["email", "mail", "emailAddress", "Email", "user.email"],
];
const nameNames = [
  "http://schemas.microsoft.com/identity/claims/displayname",
  "urn:oid:2.16.840.1.113730.3.1.241",
  ...["displayName", "name", "user.displayName"],
];
const externalNames = ["http://schemas.microsoft.com/identity/claims/objectidentifier", "externalId"];
const userNameNames = [`${claims}/name`, "userName", "login", "urn:oid:0.9.2342.19200300.100.1.1"];

/**
 * Reads the assertion whose signature was verified, and nothing outside it. The library checks audience and times. This
 * checks recipient, request, issuer and confirmation, and repeats the checks of times with our own clock.
 */
export function readAssertion(
  assertion: Element & Record<string, unknown>,
  expected: Expected,
  now: Date,
): { proof: Proof; assertionId: string; expiresAt: string } {
  const at = now.getTime();
  const assertionId = attribute(assertion, "ID");
  if (assertionId === null) throw samlRefused("The assertion has no ID.");
  if (textOf(only(assertion, "Issuer")) !== expected.providerEntityId) throw samlRefused("The issuer is another one.");
  const subject = only(assertion, "Subject");
  const until = requireConfirmation(children(subject, "SubjectConfirmation"), expected, at);
  const conditions = only(assertion, "Conditions");
  refuseTimes(conditions, at);
  const audiences = children(conditions, "AudienceRestriction");
  const isForUs = (restriction: Element) =>
    children(restriction, "Audience").some((each) => textOf(each) === expected.ownEntityId);
  if (audiences.length === 0 || !audiences.every(isForUs))
    throw samlRefused("The assertion is meant for somebody else.");
  const [statement] = children(assertion, "AuthnStatement");
  if (!statement) throw samlRefused("The assertion does not say that anybody signed in.");
  const ends = attribute(statement, "SessionNotOnOrAfter");
  if (ends !== null && timeOf(ends) <= at - skewMilliseconds) throw samlRefused("The provider's session has ended.");
  const instant = attribute(statement, "AuthnInstant");
  if (instant !== null && timeOf(instant) > at + skewMilliseconds) {
    throw samlRefused("The person signed in at a time in the future.");
  }
  return {
    assertionId,
    // As long as it could be replayed.
    expiresAt: new Date(Math.min(until, at + 86_400_000) + 2 * skewMilliseconds).toISOString(),
    proof: {
      ...proofOf(only(subject, "NameID"), attributesOf(assertion)),
      authenticatedAt: instant === null ? null : new Date(timeOf(instant)).toISOString(),
    },
  };
}

/** Returns until when the assertion may be used. */
function requireConfirmation(confirmations: Element[], expected: Expected, at: number): number {
  for (const confirmation of confirmations) {
    const [data] = children(confirmation, "SubjectConfirmationData");
    if (!data || attribute(confirmation, "Method") !== bearer) continue;
    const until = timeOf(attribute(data, "NotOnOrAfter") ?? "");
    const fits =
      attribute(data, "Recipient") === expected.acsUrl &&
      attribute(data, "InResponseTo") === expected.requestId &&
      attribute(data, "NotBefore") === null &&
      until > at - skewMilliseconds;
    if (fits) return until;
  }
  throw samlRefused("The assertion is for another recipient, belongs to another request, or has expired.");
}

function refuseTimes(element: Element, at: number): void {
  const from = attribute(element, "NotBefore");
  const until = attribute(element, "NotOnOrAfter");
  if (from !== null && timeOf(from) > at + skewMilliseconds) throw samlRefused("The assertion is not valid yet.");
  if (until !== null && timeOf(until) <= at - skewMilliseconds) throw samlRefused("The assertion has expired.");
}

function proofOf(nameId: Element, attributes: ReadonlyMap<string, string>): Omit<Proof, "authenticatedAt"> {
  const subject = textOf(nameId);
  const format = attribute(nameId, "Format");
  if (subject === "" || subject.length > subjectCharactersMax) throw samlRefused("The NameID cannot be used.");
  if (format === formats.transient) {
    throw samlRefused("The provider sends a NameID that changes every time; a persistent one is needed.");
  }
  const first = (names: string[]) => names.map((name) => attributes.get(name)).find((value) => value !== undefined);
  const all = (names: string[]) => names.map((name) => attributes.get(name)).filter((value) => value !== undefined);
  const address = first(emailNames) ?? (format === formats.email ? subject : "");
  const names = [attributes.get(`${claims}/givenname`), attributes.get(`${claims}/surname`)];
  return {
    subject,
    email: readEmail(address),
    emailChecked: true,
    name: nameIn(first(nameNames) ?? names.filter((each) => each !== undefined).join(" ")),
    externalIds: [subject, ...all(externalNames)],
    userNames: [subject, ...all(userNameNames)].map((each) => each.toLowerCase()),
  };
}

/** The first value of each attribute. A Map, because the provider chooses the names. */
function attributesOf(assertion: Element): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of children(assertion, "AttributeStatement")) {
    for (const each of children(statement, "Attribute")) {
      const name = attribute(each, "Name");
      const [value] = children(each, "AttributeValue");
      const text = value ? textOf(value) : "";
      if (name !== null && text !== "" && text.length <= subjectCharactersMax && !found.has(name))
        found.set(name, text);
    }
  }
  return found;
}

// The parser creates objects without a prototype, and a list for every child.
function children(element: Element, name: string): Element[] {
  const value = Object.hasOwn(element, name) ? (element as Record<string, unknown>)[name] : undefined;
  if (!Array.isArray(value)) return [];
  return value.map((each: unknown) => (typeof each === "object" && each !== null ? each : { _: String(each) }));
}

function only(element: Element, name: string): Element {
  const [first, second] = children(element, name);
  if (!first || second) throw samlRefused(`The assertion has not exactly one ${name}.`);
  return first;
}

const attribute = (element: Element, name: string): string | null =>
  element.$ && Object.hasOwn(element.$, name) ? (element.$[name] ?? null) : null;

const textOf = (element: Element): string => (element._ ?? "").trim();

function timeOf(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time)) throw samlRefused("The assertion has a time that cannot be read.");
  return time;
}
