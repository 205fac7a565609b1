import { describe, expect, test } from "vitest";
import { newCertificate } from "../../test/support/certificate.ts";
import {
  type AssertionParts,
  type AuthnRequest,
  assertionXml,
  encoded,
  entityId,
  entryPoint,
  honest,
  idpMetadata,
  otherCertificate,
  ownCertificate,
  readRequest,
  responseXml,
  signAssertion,
  signElement,
  status,
} from "../../test/support/saml-provider.ts";
import { type BrowserAnswer, TestBrowser } from "../../test/support/sso-world.ts";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { operatorScope } from "../access/operator.ts";
import { verifyAsOperator } from "./domains.ts";

interface SamlWorld extends Team {
  providerId: string;
  acs: string;
  /** Sends a browser away; answers what the provider was asked. */
  begin(browser: TestBrowser, query?: string): Promise<AuthnRequest>;
  /** The provider answers by the browser's form, and the browser follows where that leads. */
  answer(browser: TestBrowser, request: AuthnRequest, response: string): Promise<BrowserAnswer>;
}

async function startSamlWorld(kind: StoreKind, wanted: Record<string, unknown> = {}): Promise<SamlWorld> {
  const team = await startTeam(kind);
  const provider = { kind: "saml", label: "SAML", metadata_xml: idpMetadata(ownCertificate().pem), ...wanted };
  const made = await team.call("single_sign_on/create", provider, { as: team.owner });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  const providerId = made.body.provider_id as string;
  const acs = `/sso/saml/${providerId}/acs`;
  await verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, "example.com");
  return {
    ...team,
    providerId,
    acs,
    async begin(browser, query = "") {
      const sent = await browser.get(`/sso/start?provider=${providerId}${query}`);
      expect([sent.status, sent.code]).toEqual([302, null]);
      return readRequest(sent.location ?? "");
    },
    async answer(browser, request, response) {
      const posted = await browser.post(acs, { SAMLResponse: response, RelayState: request.relayState });
      return posted.status === 303 && posted.location !== null ? browser.get(posted.location) : posted;
    },
  };
}

const honestly = (request: AuthnRequest, changes: Partial<AssertionParts> = {}): string =>
  signAssertion(assertionXml({ ...honest(request), ...changes }));

describeOnBothStores("SAML", (kind) => {
  test("a person goes to the provider, comes back with a signed assertion, and is in", async () => {
    const world = await startSamlWorld(kind);
    const ada = await world.colleague("ada");
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser, "&next=/latest/documentation");
    expect(request).toMatchObject({
      acsUrl: `http://us.test${world.acs}`,
      issuer: `http://us.test/sso/saml/${world.providerId}/metadata`,
      relayState: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
    });
    expect(request.xml).not.toContain("ForceAuthn");
    const posted = await browser.post(world.acs, {
      SAMLResponse: encoded(responseXml(request, honestly(request))),
      RelayState: request.relayState,
    });
    // A form of another site carries no cookies, so nobody is signed in by it: the browser is sent to ask with its own.
    expect([posted.status, posted.headers["set-cookie"]]).toEqual([303, undefined]);
    expect((await new TestBrowser(world.app).get(posted.location ?? "")).code).toBe("sso_flow_gone");
    const arrived = await browser.get(posted.location ?? "");
    expect([arrived.status, arrived.location]).toEqual([303, "/latest/documentation"]);
    expect(await world.store.query("select method, user_id from sessions")).toEqual([
      { method: "saml", user_id: ada.userId },
    ]);
    expect((await browser.get(posted.location ?? "")).code).toBe("sso_flow_gone");
    expect(await world.store.query("select subject, user_id from identities")).toEqual([
      { subject: "subject-1", user_id: ada.userId },
    ]);
  });

  test("an answer counts once: not twice for one request, not again for another, and not by its ID", async () => {
    const world = await startSamlWorld(kind);
    await world.colleague("ada");
    const browser = new TestBrowser(world.app);
    const first = await world.begin(browser);
    const response = encoded(responseXml(first, honestly(first, { id: "_once" })));
    expect((await world.answer(browser, first, response)).status).toBe(303);
    expect((await world.answer(browser, first, response)).code).toBe("sso_flow_gone");
    const second = await world.begin(browser);
    expect((await world.answer(browser, second, response)).code).toBe("sso_answer_refused");
    const third = await world.begin(browser);
    const again = encoded(responseXml(third, honestly(third, { id: "_once" })));
    const replayed = await world.answer(browser, third, again);
    expect([replayed.status, replayed.code]).toEqual([403, "sso_answer_refused"]);
    expect(replayed.text).toContain("was used before");
    expect(await world.store.query("select id from sessions")).toHaveLength(1);
  });

  test("a deactivated person is refused with the reason", async () => {
    const world = await startSamlWorld(kind);
    const ada = await world.colleague("ada");
    await world.deactivate(ada);
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const refused = await world.answer(browser, request, encoded(responseXml(request, honestly(request))));
    expect([refused.status, refused.code]).toEqual([403, "account_deactivated"]);
  });

  test("confirming asks for a fresh sign-in, and believes no old one", async () => {
    const world = await startSamlWorld(kind);
    const email = world.owner.email;
    const browser = new TestBrowser(world.app);
    const first = await world.begin(browser);
    await world.answer(browser, first, encoded(responseXml(first, honestly(first, { email }))));
    const again = await world.begin(browser, "&confirm=1");
    expect(again.xml).toContain('ForceAuthn="true"');
    const old = honestly(again, { email, authnInstant: new Date(Date.now() - 3_600_000) });
    expect((await world.answer(browser, again, encoded(responseXml(again, old)))).code).toBe("sso_not_confirmed");
    const third = await world.begin(browser, "&confirm=1");
    const arrived = await world.answer(browser, third, encoded(responseXml(third, honestly(third, { email }))));
    expect([arrived.status, arrived.headers["set-cookie"]]).toEqual([303, undefined]);
  });
});

const evil = (request: AuthnRequest, id = "_evil") =>
  assertionXml({ ...honest(request), id, nameId: "attacker", email: "owner@example.com" });

const signatureIn = (xml: string): string => /<(\w+:)?Signature [\s\S]*<\/(\w+:)?Signature>/.exec(xml)?.[0] ?? "";
const idOf = (xml: string): string => /<saml:Assertion[^>]* ID="([^"]*)"/.exec(xml)?.[1] ?? "";

/** The evil assertion carries the signature of the honest one, which stands elsewhere in the document. */
const withSignature = (assertion: string, signature: string): string =>
  assertion.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);

type Build = (request: AuthnRequest) => string;

/** Wrapped signatures, in the eight shapes of the literature and some more (ASVS 6.8.2). */
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

describe("SAML answers that prove nothing", () => {
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
    // The same provider with an honest answer.
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

  test("a person whom the provider refuses is told so", async () => {
    const world = await startSamlWorld("sqlite");
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const refusal = responseXml(request, "", { status: status("Responder") });
    expect((await world.answer(browser, request, encoded(refusal))).code).toBe("sso_declined");
  });

  test("an answer at another provider's address, without a state, or too large", async () => {
    const world = await startSamlWorld("sqlite");
    const second = { kind: "saml", label: "Second", metadata_xml: idpMetadata(otherCertificate().pem) };
    const { body } = await world.call("single_sign_on/create", second, { as: world.owner });
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    const response = encoded(responseXml(request, honestly(request)));
    const form = { SAMLResponse: response, RelayState: request.relayState };
    expect((await browser.post(`/sso/saml/${body.provider_id}/acs`, form)).code).toBe("sso_flow_gone");
    // Begun at the provider: what came is not looked at, and the person is sent the whole way.
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

describe("a SAML provider", () => {
  test("is described by its metadata, or part by part", async () => {
    const world = await startSamlWorld("sqlite");
    const record = await world.call(`single_sign_on/${world.providerId}/get`, {}, { as: world.owner });
    expect(record.body).toMatchObject({
      kind: "saml",
      entity_id: entityId,
      entry_point: entryPoint,
      certificates: [ownCertificate().pem],
      register_at_provider: { acs_url: `http://us.test${world.acs}` },
    });
    const parts = { entity_id: entityId, entry_point: entryPoint, certificates: [ownCertificate().pem] };
    const made = await world.call("single_sign_on/create", { kind: "saml", label: "x", ...parts }, { as: world.owner });
    expect(made.body).toMatchObject(parts);
  });

  test("reads our metadata, which says where answers go", async () => {
    const world = await startSamlWorld("sqlite");
    const answer = await new TestBrowser(world.app).get(`/sso/saml/${world.providerId}/metadata`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toContain("samlmetadata+xml");
    expect(answer.text).toContain(`Location="http://us.test${world.acs}"`);
    expect((await new TestBrowser(world.app).get("/sso/saml/sso_us_none/metadata")).code).toBe("provider_not_found");
  });

  const unusable: [pointer: string, wanted: Record<string, unknown>][] = [
    ["metadata_xml", { metadata_xml: "hello" }],
    ["metadata_xml", { metadata_xml: "<!DOCTYPE x><EntityDescriptor/>" }],
    ["metadata_xml", { metadata_xml: idpMetadata("").replace("HTTP-Redirect", "HTTP-Artifact") }],
    ["certificates", { metadata_xml: idpMetadata("AAAA") }],
    ["certificates", { entity_id: "x", entry_point: entryPoint }],
    ["certificates", { entity_id: "x", entry_point: entryPoint, certificates: ["hello"] }],
    ["certificates", { entity_id: "x", entry_point: entryPoint, certificates: [newCertificate({ bits: 1024 }).pem] }],
    ["entry_point", { entity_id: "x", certificates: [] }],
    ["entry_point", { entity_id: "x", entry_point: "http://10.0.0.1/", certificates: [] }],
  ];

  test("is refused where something about it cannot be used", async () => {
    const team = await startTeam("sqlite");
    for (const [pointer, wanted] of unusable) {
      const body = { kind: "saml", label: "x", ...wanted };
      const answer = await team.call("single_sign_on/create", body, { as: team.owner });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, `#/${pointer}`]);
    }
  });

  test("with an expired certificate says so when tested", async () => {
    const { pem } = newCertificate({ validTo: new Date(Date.now() - 86_400_000) });
    const world = await startSamlWorld("sqlite", { metadata_xml: idpMetadata(pem) });
    const { body } = await world.call(`single_sign_on/${world.providerId}/test`, {}, { as: world.owner });
    expect([body.ok, body.checks.at(-1).detail]).toEqual([false, expect.stringContaining("has expired")]);
  });
});
