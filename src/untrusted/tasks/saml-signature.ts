import { SAML, type SamlConfig } from "@node-saml/node-saml";
import { parseDomFromString } from "@node-saml/node-saml/lib/xml.js";

/** A SAML response that passed the first scan, and what it must match. */
export interface SamlInput {
  text: string;
  /** PEM; any of them may have signed. */
  certificates: string[];
  providerEntityId: string;
  ownEntityId: string;
  acsUrl: string;
  requestId: string;
}

export type SamlOutput =
  /** The assertion whose signature was checked, as the library returns it. */
  | { kind: "assertion"; assertion: Record<string, unknown> }
  | { kind: "declined" }
  | { kind: "refused"; reason: string };

const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";
const success = "urn:oasis:names:tc:SAML:2.0:status:Success";
const skewMilliseconds = 60_000;

/** Only the signed text counts, never the document around it. */
export async function checkSaml(input: SamlInput): Promise<SamlOutput> {
  try {
    const shape = shapeOf(await parseDomFromString(input.text));
    if (shape !== null) return shape;
    const saml = new SAML(optionsFor(input));
    const SAMLResponse = Buffer.from(input.text).toString("base64");
    const { profile, loggedOut } = await saml.validatePostResponseAsync({ SAMLResponse });
    const assertion: unknown = profile?.getAssertion?.().Assertion;
    if (loggedOut || typeof assertion !== "object" || assertion === null) return refused("It holds no assertion.");
    return { kind: "assertion", assertion: { ...assertion } };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    if (!(error instanceof Error)) return refused("The response cannot be read.");
    if (error.name === "SamlStatusError" || "xmlStatus" in error) return { kind: "declined" };
    // The library's messages may repeat parts of the response, so they are cut and never shown on the page.
    return refused(`The response was refused: ${error.message.slice(0, 120).replace(/[^\x20-\x7e]/g, "?")}`);
  }
}

const refused = (reason: string): SamlOutput => ({ kind: "refused", reason });

function optionsFor(input: SamlInput): SamlConfig {
  const askedAt = new Date().toISOString();
  return {
    idpCert: input.certificates,
    idpIssuer: input.providerEntityId,
    issuer: input.ownEntityId,
    audience: input.ownEntityId,
    callbackUrl: input.acsUrl,
    wantAssertionsSigned: true,
    // Most providers sign only the assertion; a response with only an outer signature is refused.
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: skewMilliseconds,
    // ValidateInResponseTo.always.
    validateInResponseTo: "always" as NonNullable<SamlConfig["validateInResponseTo"]>,
    // The store knows the one request that this response belongs to, and that it was not used before.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === input.requestId ? askedAt : null),
      removeAsync: async () => null,
    },
  };
}

/** The part of the DOM that is used here. */
interface DomNode {
  nodeType: number;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
}

interface DomElement extends DomNode {
  localName: string | null;
  namespaceURI: string | null;
  attributes: ArrayLike<{ localName: string | null; value: string }>;
  getAttribute(name: string): string | null;
}

/**
 * One response with one assertion in the expected position: every known signature-wrapping attack breaks this. One pass
 * over the document that the library itself parses; null if nothing is wrong.
 */
function shapeOf({ documentElement: root }: { documentElement: DomElement | null }): SamlOutput | null {
  if (root?.localName !== "Response" || root.namespaceURI !== protocol)
    return refused("The message is not a SAML response.");
  const ids = new Set<string>();
  let assertions = 0;
  let isInPlace = true;
  let status: string | null = null;
  for (const element of elementsIn(root)) {
    const { localName } = element;
    if (localName === "EncryptedAssertion") {
      return refused("The assertion is encrypted; switch that off at the provider, TLS protects it already.");
    }
    if (localName === "StatusCode") status ??= element.getAttribute("Value") ?? "";
    if (localName === "Assertion") {
      assertions++;
      isInPlace &&= element.parentNode === root;
    }
    for (const { localName: name, value } of Array.from(element.attributes)) {
      if (name !== "ID" && name !== "Id" && name !== "id") continue;
      if (ids.has(value)) return refused("Two elements have the same ID.");
      ids.add(value);
    }
  }
  if (status !== null && status !== success) return { kind: "declined" };
  return assertions === 1 && isInPlace ? null : refused("The response does not have exactly one assertion.");
}

/** Depth first along sibling links: indexing into node lists would take quadratic time. */
function* elementsIn(root: DomElement): Generator<DomElement> {
  let node: DomNode | null = root;
  while (node) {
    if (node.nodeType === 1) yield node as DomElement;
    let next: DomNode | null = node.firstChild;
    for (let from: DomNode | null = node; !next && from && from !== root; from = from.parentNode)
      next = from.nextSibling;
    node = next;
  }
}
