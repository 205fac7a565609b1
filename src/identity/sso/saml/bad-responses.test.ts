import { describe, expect, test } from "vitest";
import {
  type AssertionParts,
  type AuthnRequest,
  assertionXml,
  encoded,
  honest,
  honestly,
  idpMetadata,
  otherCertificate,
  ownCertificate,
  responseXml,
  signAssertion,
  signElement,
  status,
} from "../../../../test/support/sign-in/saml-provider.ts";
import { startSamlWorld } from "../../../../test/support/sign-in/saml-world.ts";
import { TestBrowser } from "../../../../test/support/sign-in/sso-world.ts";

const evil = (request: AuthnRequest, id = "_evil") =>
  assertionXml({ ...honest(request), id, nameId: "attacker", email: "owner@example.com" });

const signatureIn = (xml: string): string => /<(\w+:)?Signature [\s\S]*<\/(\w+:)?Signature>/.exec(xml)?.[0] ?? "";
const idOf = (xml: string): string => /<saml:Assertion[^>]* ID="([^"]*)"/.exec(xml)?.[1] ?? "";

/** The forged assertion carries the signature of the valid one, which is elsewhere in the document. */
const withSignature = (assertion: string, signature: string): string =>
  assertion.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);

type Build = (request: AuthnRequest) => string;

/** Signature wrapping, in the eight known forms and some more (ASVS 6.8.2). */
const wrapped: [name: string, build: Build][] = [
  [
    "XSW1: an evil response round the signed one",
    (r) => {
      const whole = signElement(responseXml(r, honestly(r)), "Response");
      return responseXml(r, evil(r) + whole);
    },
  ],
  [
    "XSW2: the evil response with the signed one before it",
    (r) => {
      const whole = signElement(responseXml(r, honestly(r)), "Response");
      return responseXml(r, whole + evil(r));
    },
  ],
  ["XSW3: an evil assertion before the signed one", (r) => responseXml(r, evil(r) + honestly(r))],
  ["XSW3: and after it", (r) => responseXml(r, honestly(r) + evil(r))],
  [
    "XSW4: the signed one within the evil one",
    (r) => responseXml(r, evil(r).replace("</saml:Assertion>", `${honestly(r)}</saml:Assertion>`)),
  ],
  [
    "XSW5: the evil one has the signature, the honest one follows without",
    (r) => {
      const good = honestly(r);
      const signature = signatureIn(good);
      return responseXml(r, withSignature(evil(r), signature) + good.replace(signature, ""));
    },
  ],
  [
    "XSW6: the honest one inside the signature of the evil one",
    (r) => {
      const good = honestly(r);
      const signature = signatureIn(good);
      const object = `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${good.replace(signature, "")}</ds:Object>`;
      return responseXml(
        r,
        withSignature(evil(r), signature.replace(/<\/((?:\w+:)?)Signature>$/, `${object}</$1Signature>`)),
      );
    },
  ],
  [
    "XSW7: the evil one in Extensions, with the same ID",
    (r) => {
      const good = honestly(r);
      return responseXml(r, `<samlp:Extensions>${evil(r, idOf(good))}</samlp:Extensions>${good}`);
    },
  ],
  [
    "XSW8: the honest one in an Object beside the evil one with the same ID",
    (r) => {
      const good = honestly(r);
      const object = `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${good}</ds:Object>`;
      return responseXml(r, withSignature(evil(r, idOf(good)), signatureIn(good)) + object);
    },
  ],
  [
    "the same ID twice",
    (r) => {
      const good = honestly(r);
      return responseXml(r, evil(r, idOf(good)) + good);
    },
  ],
  [
    "an evil assertion in another namespace beside the signed one",
    (r) => responseXml(r, evil(r).replaceAll("urn:oasis:names:tc:SAML:2.0:assertion", "urn:other") + honestly(r)),
  ],
  ["another root round it all", (r) => `<x ID="_x">${responseXml(r, honestly(r))}</x>`],
];

const unsigned: [name: string, build: Build][] = [
  ["unsigned", (r) => responseXml(r, assertionXml(honest(r)))],
  ["signed with another key", (r) => responseXml(r, signAssertion(assertionXml(honest(r)), otherCertificate()))],
  [
    "signed with another key that it brings along",
    (r) => {
      const text = signAssertion(assertionXml(honest(r)), otherCertificate());
      const der = otherCertificate().pem.replace(/-----[^-]+-----|\s/g, "");
      const info = `<KeyInfo><X509Data><X509Certificate>${der}</X509Certificate></X509Data></KeyInfo>`;
      return responseXml(r, text.replace("</Signature>", `${info}</Signature>`));
    },
  ],
  ["signed with SHA-1", (r) => responseXml(r, signAssertion(assertionXml(honest(r)), ownCertificate(), "sha1"))],
  ["changed after it was signed", (r) => responseXml(r, honestly(r).replace("subject-1", "attacker"))],
  ["its address changed after it was signed", (r) => responseXml(r, honestly(r).replace("ada@", "owner@"))],
  ["the answer signed and the assertion not", (r) => signElement(responseXml(r, assertionXml(honest(r))), "Response")],
  [
    "a signature without a value",
    (r) => responseXml(r, honestly(r).replace(/<SignatureValue>[^<]*</, "<SignatureValue><")),
  ],
  ["a signature over nothing", (r) => responseXml(r, honestly(r).replace(/URI="#[^"]*"/, 'URI=""'))],
  [
    "an algorithm without quotes",
    (r) => responseXml(r, honestly(r).replace(/(SignatureMethod Algorithm=)"([^"]*)"/, "$1$2")),
  ],
];

const changed =
  (changes: (request: AuthnRequest) => Partial<AssertionParts>): Build =>
  (r) =>
    responseXml(r, honestly(r, changes(r)));
const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);

const misdirected: [name: string, build: Build][] = [
  ["another audience", changed(() => ({ audience: "https://somebody.else" }))],
  ["another recipient", changed(() => ({ recipient: "https://somebody.else/acs" }))],
  ["another request", changed(() => ({ inResponseTo: "_another" }))],
  ["no request in the assertion", changed(() => ({ inResponseTo: null }))],
  ["another issuer", changed(() => ({ issuer: "https://other.idp" }))],
  ["expired", changed(() => ({ notBefore: minutes(-20), notOnOrAfter: minutes(-2) }))],
  ["not valid yet", changed(() => ({ notBefore: minutes(5), notOnOrAfter: minutes(10) }))],
  ["another confirmation", changed(() => ({ method: "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key" }))],
  [
    "a name that changes every time",
    changed(() => ({ format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" })),
  ],
  ["no name", changed(() => ({ nameId: "" }))],
  ["a name of 300 characters", changed(() => ({ nameId: "x".repeat(300) }))],
  ["nobody who signed in", changed(() => ({ authnInstant: null }))],
  ["a sign-in that is yet to come", changed(() => ({ authnInstant: minutes(10) }))],
  [
    "another destination",
    (r) => responseXml(r, honestly(r), { attributes: `Destination="https://x.test/acs" InResponseTo="${r.id}"` }),
  ],
  ["another request in the answer", (r) => responseXml(r, honestly(r), { attributes: 'InResponseTo="_another"' })],
  ["no request in the answer", (r) => responseXml(r, honestly(r), { attributes: "" })],
];

const bomb = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${[..."bcdefghi"]
  .map((name, index) => `<!ENTITY ${name} "${`&${"abcdefgh"[index]};`.repeat(10)}">`)
  .join("")}]>`;

const dangerous: [name: string, build: Build][] = [
  ["a document type", (r) => responseXml(r, honestly(r), { before: "<!DOCTYPE x>" })],
  ["entities that grow", (r) => responseXml(r, honestly(r).replace("subject-1", "&i;"), { before: bomb })],
  [
    "an entity from a file",
    (r) => responseXml(r, honestly(r), { before: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' }),
  ],
  [
    "a comment that splits the name",
    (r) => responseXml(r, honestly(r, { nameId: "subject-1.evil" }).replace("subject-1.evil", "subject-1<!---->.evil")),
  ],
  ["a marked section", (r) => responseXml(r, honestly(r).replace("subject-1", "<![CDATA[subject-1]]>"))],
  ["an instruction", (r) => responseXml(r, `<?php x?>${honestly(r)}`)],
  [
    "an encrypted assertion",
    (r) => responseXml(r, "<saml:EncryptedAssertion xmlns:saml='urn:oasis:names:tc:SAML:2.0:assertion'/>"),
  ],
  ["no assertion", (r) => responseXml(r, "")],
  ["broken XML", (r) => responseXml(r, honestly(r)).slice(0, -20)],
  ["no XML", () => "hello"],
  ["nothing", () => ""],
  ["elements 20,000 deep", (r) => responseXml(r, `${"<a>".repeat(20_000)}${"</a>".repeat(20_000)}${honestly(r)}`)],
  ["a logout answer", (r) => responseXml(r, "").replaceAll("samlp:Response", "samlp:LogoutResponse")],
];

describe("invalid SAML responses", () => {
  test.each([
    ["unsigned or signed by somebody else", unsigned],
    ["wrapped", wrapped],
    ["meant for others, or for another time", misdirected],
    ["dangerous to read", dangerous],
  ])("%s: refused, without a session, a link or a change to any prototype", async (_name, corpus) => {
    const world = await startSamlWorld("sqlite", { just_in_time: true });
    await world.colleague("ada");
    for (const [name, build] of corpus) {
      const browser = new TestBrowser(world.app);
      const request = await world.begin(browser);
      const answer = await world.answer(browser, request, encoded(build(request)));
      expect([name, answer.status, answer.code]).toEqual([name, 403, "sso_answer_refused"]);
      expect([name, browser.session]).toEqual([name, undefined]);
    }
    expect(await world.store.query("select id from sessions")).toEqual([]);
    expect(await world.store.query("select id from identities")).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    // The same provider with a valid response.
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const good = await world.answer(browser, request, encoded(responseXml(request, honestly(request))));
    expect(good.status).toBe(303);
  });

  test("an attribute called __proto__ is an attribute like any other", async () => {
    const world = await startSamlWorld("sqlite", { just_in_time: true });
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const named = assertionXml(honest(request)).replace('Name="email"', 'Name="__proto__"');
    const answer = await world.answer(browser, request, encoded(responseXml(request, signAssertion(named))));
    expect(answer.code).toBe("sso_no_account");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("a person whom the provider refuses sees that", async () => {
    const world = await startSamlWorld("sqlite");
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const refusal = responseXml(request, "", { status: status("Responder") });
    expect((await world.answer(browser, request, encoded(refusal))).code).toBe("sso_declined");
  });

  test("a response at another provider's address, without a state, or too large is refused", async () => {
    const world = await startSamlWorld("sqlite");
    const second = { kind: "saml", label: "Second", metadata_xml: idpMetadata(otherCertificate().pem) };
    const { body } = await world.call("single_sign_on/create", second, { as: world.owner });
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const response = encoded(responseXml(request, honestly(request)));
    const form = { SAMLResponse: response, RelayState: request.relayState };
    expect((await browser.post(`/sso/saml/${body.provider_id}/acs`, form)).code).toBe("sso_flow_gone");
    // A sign-in that began at the provider: the response is ignored, and the sign-in starts again from here.
    const unasked = await browser.post(world.acs, { SAMLResponse: response, RelayState: "https://somewhere" });
    expect([unasked.status, unasked.location]).toEqual([303, `/sso/start?provider=${world.providerId}`]);
    const large = await browser.post(world.acs, { ...form, SAMLResponse: "A".repeat(600_000) });
    expect([large.status, large.code]).toEqual([413, "payload_too_large"]);
    const notForm = await world.app.inject({
      method: "POST",
      url: world.acs,
      headers: { "content-type": "application/json" },
      payload: "{}",
    });
    expect(notForm.statusCode).toBe(415);
  });
});
