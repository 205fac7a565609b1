import { describe, expect, test } from "vitest";
import { defaultPolicies } from "../../src/calls/rate-limits/default-quotas.ts";
import {
  type AuthnRequest,
  assertionXml,
  encoded,
  honest,
  honestly,
  idpMetadata,
  ownCertificate,
  responseXml,
  signAssertion,
} from "../support/sign-in/saml-provider.ts";
import { type SamlWorld, startSamlWorld } from "../support/sign-in/saml-world.ts";
import { startSsoWorld, TestBrowser } from "../support/sign-in/sso-world.ts";
import { startTeam } from "../support/team.ts";
import { longestPause } from "./support/watch-loop.ts";

/** "Nothing that a stranger chooses may hold the event loop": 50 ms is the rule, the rest is for a slow machine. */
const pauseMillisecondsMax = 200;

const many = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join("");

/** Signed by nobody, of the shape that the provider's own answers have. */
const forged = (request: AuthnRequest, inside: string): string =>
  responseXml(
    request,
    signAssertion(assertionXml(honest(request))).replace("</saml:AttributeStatement>", `$&${inside}`),
  );

const hostile: [name: string, inside: string][] = [
  ["4,000 elements", "<a/>".repeat(4000)],
  ["50,000 elements", "<a/>".repeat(50_000)],
  ["elements as many as are let in", "<a/>".repeat(950)],
  ["elements 20,000 deep", "<a>".repeat(20_000) + "</a>".repeat(20_000)],
  ["30 levels of 30 attributes", many(20, () => `<a${many(30, (i) => ` a${i}=""`)}>`) + "</a>".repeat(20)],
  ["20,000 attributes", `<a${many(20_000, (i) => ` a${i}=""`)}/>`],
  ["100,000 attributes", `<a${many(100_000, (i) => ` a${i}=""`)}/>`],
  ["15,000 namespaces", `<a${many(15_000, (i) => ` xmlns:n${i}="u"`)}/>`],
  ["50,000 namespaces", many(50_000, (i) => `<a xmlns:n${i}="u"/>`)],
  ["an attribute that never ends", `<a b="${"<c d='".repeat(30_000)}`],
  ["entities", "&amp;".repeat(40_000)],
  ["spaces in an element", `<a${" ".repeat(200_000)}b=""/>`],
  ["algorithms", many(5000, () => '<a Algorithm  =   "http://www.w3.org/2001/04/xmlenc#sha256"/>')],
  ["comments", "<!-- -->".repeat(20_000)],
];

const whitespace = (response: string): string => many(response.length, (i) => `${response[i]}${" \n".repeat(60)}`);

describe("a stranger who sends SAML responses", () => {
  async function start(): Promise<SamlWorld> {
    const world = await startSamlWorld("sqlite");
    await world.colleague("ada");
    return world;
  }

  interface Ready {
    browser: TestBrowser;
    request: AuthnRequest;
    response: string;
  }

  async function ready(
    world: SamlWorld,
    write = (request: AuthnRequest) => responseXml(request, honestly(request)),
  ): Promise<Ready> {
    const browser = new TestBrowser(world.app);
    const request = await world.begin(browser);
    return { browser, request, response: encoded(write(request)) };
  }

  const signIn = async (world: SamlWorld, { browser, request, response }: Ready) => {
    expect((await world.answer(browser, request, response)).status).toBe(303);
    expect(browser.session).toBeDefined();
  };

  test("does not block anyone, whatever the responses contain, and people can still sign in", async () => {
    const world = await start();
    const answers: (Ready & { name: string })[] = [];
    for (const [name, inside] of hostile)
      answers.push({ name, ...(await ready(world, (request) => forged(request, inside))) });
    const spaced = await ready(world);
    answers.push({ ...spaced, name: "spaces in base64", response: whitespace(spaced.response) });
    const person = await ready(world);
    const pause = await longestPause(async () => {
      const sent = answers.map(async ({ name, request, response }) => {
        const { status, code } = await new TestBrowser(world.app).post(world.acs, {
          SAMLResponse: response,
          RelayState: request.relayState,
        });
        return { name, refused: (status === 403 && code === "sso_answer_refused") || status === 413 };
      });
      await signIn(world, person);
      for (const each of await Promise.all(sent)) expect(each).toEqual({ name: each.name, refused: true });
    });
    expect(pause).toBeLessThan(pauseMillisecondsMax);
  });

  test("causes no parsing with a state that was used, belongs to another provider, or is made up", async () => {
    const world = await start();
    const { browser, request, response } = await ready(world, (asked) => forged(asked, "<a/>".repeat(900)));
    const post = (RelayState: string, acs = world.acs) => browser.post(acs, { SAMLResponse: response, RelayState });
    expect((await post(request.relayState)).code).toBe("sso_answer_refused");
    // One answer, one try.
    const again = () => post(request.relayState);
    const pause = await longestPause(async () => {
      for (const { code } of await Promise.all(Array.from({ length: 20 }, again))) expect(code).toBe("sso_flow_gone");
      expect((await post("x".repeat(43))).code).toBe("sso_flow_gone");
      expect((await post(request.relayState, "/sso/saml/sso_us_other/acs")).code).toBe("sso_flow_gone");
    });
    expect(pause).toBeLessThan(pauseMillisecondsMax);
    // An answer to another request is refused as a text: it never reaches the parser.
    const other = await ready(world, (asked) => responseXml({ ...asked, id: "_another" }, "<saml:Broken"));
    expect((await world.answer(other.browser, other.request, other.response)).code).toBe("sso_answer_refused");
  });

  test("is limited in sign-ins per address, like everyone who has not signed in", async () => {
    const team = await startTeam("sqlite", {
      rateLimits: { ...defaultPolicies, sign_in: { quota: 5, windowSeconds: 60 } },
    });
    const browser = new TestBrowser(team.app);
    const codes = [];
    for (let count = 0; count < 6; count++) codes.push((await browser.get("/sso/start?provider=sso_us_x")).code);
    expect(codes).toEqual([...Array(5).fill("sso_not_offered"), "rate_limited"]);
  });

  test("has fewer attempts with refused responses, because a worker had to check each of them", async () => {
    const rateLimits = { ...defaultPolicies, sign_in: { quota: 14, windowSeconds: 60 } };
    const world = await startSamlWorld("sqlite", {}, { rateLimits });
    for (let count = 0; count < 2; count++) {
      const { browser, request, response } = await ready(world, (asked) => forged(asked, "<a/>"));
      expect((await world.answer(browser, request, response)).code).toBe("sso_answer_refused");
    }
    const { code } = await new TestBrowser(world.app).get(`/sso/start?provider=${world.providerId}`);
    expect(code).toBe("rate_limited");
  });
});

describe("an owner who uploads a provider's metadata", () => {
  const inMetadata = (inside: string) =>
    idpMetadata(ownCertificate().pem).replace("</EntityDescriptor>", `${inside}$&`);

  test("does not block anyone, whatever it contains", async () => {
    const team = await startTeam("sqlite");
    const bodies = hostile.map(([name, inside]) => ({ name, metadata_xml: inMetadata(inside).slice(0, 200_000) }));
    const made: string[] = [];
    const pause = await longestPause(async () => {
      for (const { name, metadata_xml } of bodies) {
        const body = { kind: "saml", label: "x", metadata_xml };
        const { status } = await team.call("single_sign_on/create", body, { as: team.owner });
        if (status === 200) made.push(name);
        else expect([name, status]).toEqual([name, 422]);
      }
    });
    expect(pause).toBeLessThan(pauseMillisecondsMax);
    // What is within the caps is only passed over.
    expect(made).toEqual(
      expect.arrayContaining([
        "4,000 elements",
        "elements as many as are let in",
        "30 levels of 30 attributes",
        "comments",
      ]),
    );
  });
});

describe("an OpenID provider with oversized responses", () => {
  const key = { kty: "RSA", use: "sig", alg: "RS256", n: "A".repeat(342), e: "AQAB" };
  const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`) as unknown;

  test("does not block anyone: the size of its documents and the number of its keys are capped", async () => {
    const world = await startSsoWorld("sqlite");
    await world.colleague("ada");
    await world.verify("example.com");
    const ordinary = world.idp.jwks;
    const codes: (string | null)[] = [];
    const pause = await longestPause(async () => {
      for (const metadata of [
        { more: "x".repeat(5_000_000) },
        { more: deep },
        { scopes_supported: Array(200_000).fill("x") },
      ]) {
        world.idp.metadata = metadata;
        codes.push((await world.signIn()).code);
      }
      world.idp.metadata = {};
      for (const jwks of [Array(20_000).fill(key), Array(101).fill({ kty: "x" })]) {
        world.idp.jwks = jwks;
        codes.push((await world.signIn()).code);
      }
      world.idp.jwks = ordinary;
      world.idp.write = () => "x".repeat(5_000_000);
      codes.push((await world.signIn()).code);
    });
    expect(codes).toEqual(Array(6).fill("provider_unreachable"));
    expect(pause).toBeLessThan(pauseMillisecondsMax);
  });
});
