import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { verifyAsOperator } from "../../src/identity/sso/domains.ts";
import { permissions } from "../support/app.ts";
import { describeInBrowser, openBrowser } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free-ports.ts";
import { serve } from "../support/processes/local-servers.ts";
import { startIdentityProvider } from "../support/sign-in/identity-provider.ts";
import {
  assertionXml,
  encoded,
  entityId,
  honest,
  ownCertificate,
  readRequest,
  responseXml,
  signAssertion,
} from "../support/sign-in/saml-provider.ts";
import { startTeam, type Team } from "../support/team.ts";

/** "Sign-in by OIDC against `oidc-provider` in a real browser": two sites, real cookies, real redirects. */

interface Site extends Team {
  site: string;
  browser: BrowserContext;
}

/** Signalbox at http://localhost, the provider at http://127.0.0.1: to a browser these are two sites. */
async function startSite(port: number, privateOrigins: string[]): Promise<Site> {
  const team = await startTeam("sqlite", { baseUrl: `http://127.0.0.1:${port}`, privateOrigins });
  await team.app.listen({ host: "127.0.0.1", port });
  await verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, "example.com");
  return { ...team, site: `http://localhost:${port}`, browser: await openBrowser() };
}

const sessionIn = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name === "__Host-sb_session_us");

async function sayWho(page: Page, email: string): Promise<void> {
  await page.getByLabel("Address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
}

describeInBrowser("single sign-on", () => {
  test("OpenID Connect: sign in, become a member, reach the account page, be deactivated, be refused", async () => {
    const port = await freePort();
    const people = [{ sub: "u-1", email: "ada@example.com", name: "Ada Lovelace" }];
    const idp = await startIdentityProvider(`http://localhost:${port}/sso/oidc/callback`, people);
    const world = await startSite(port, [idp.issuer]);
    const provider = {
      kind: "oidc",
      label: "Company",
      issuer: idp.issuer,
      client_id: idp.clientId,
      client_secret: idp.clientSecret,
      just_in_time: true,
      default_project_id: world.projectId,
      default_permissions: permissions("role:editor"),
    };
    const made = await world.call("single_sign_on/create", provider, { as: world.owner });
    expect(made.status).toBe(200);
    const test = await world.call(`single_sign_on/${made.body.provider_id}/test`, {}, { as: world.owner });
    expect(test.body).toMatchObject({ ok: true });

    const { browser, site } = world;
    const page = await browser.newPage();
    // Begun under the number, the way is gone under the name: cookies belong to one of them.
    await page.goto(`http://127.0.0.1:${port}/sso/start?email=ada@example.com`);
    expect(page.url()).toContain(`${idp.issuer}/who/`);
    await sayWho(page, "ada@example.com");
    await page.waitForURL(`${site}/account`);
    await page.getByText("ada@example.com").first().waitFor();
    expect(await sessionIn(browser)).toMatchObject({ domain: "localhost", httpOnly: true, secure: true });
    const members = await world.call("auth/users/list", {}, world.inProject(world.owner));
    const ada = members.body.results.find((each: { email: string }) => each.email === "ada@example.com");
    expect(ada).toMatchObject({ permissions: permissions("role:editor"), active: true });

    const off = await world.call("organizations/users/deactivate", { user_id: ada.user_id }, { as: world.owner });
    expect(off.body.sessions_ended).toBe(1);
    await page.goto(`${site}/account`);
    await page.waitForURL(/\/sign-in/);
    // The provider still knows them, and asks nothing; here they are refused, with the reason.
    const refused = await page.goto(`${site}/sso/start?provider=${made.body.provider_id}`);
    expect([refused?.status(), refused?.headers()["referrer-policy"]]).toEqual([403, "no-referrer"]);
    await page.getByText("Your account is deactivated.").waitFor();
    await page.getByText("account_deactivated").waitFor();
    const list = await world.call("organizations/users/list", {}, { as: world.owner });
    expect(list.body.results.find((each: { email: string }) => each.email === ada.email).active).toBe(false);
  });

  test("OpenID Connect: a person whom the provider does not know gets a page that says so", async () => {
    const port = await freePort();
    const idp = await startIdentityProvider(`http://localhost:${port}/sso/oidc/callback`, []);
    const world = await startSite(port, [idp.issuer]);
    const provider = {
      kind: "oidc",
      label: "x",
      issuer: idp.issuer,
      client_id: idp.clientId,
      client_secret: idp.clientSecret,
    };
    const { body } = await world.call("single_sign_on/create", provider, { as: world.owner });
    const page = await world.browser.newPage();
    await page.goto(`${world.site}/sso/start?provider=${body.provider_id}`);
    await sayWho(page, "nobody@example.com");
    await page.getByText("sso_declined").waitFor();
    expect(await sessionIn(world.browser)).toBeUndefined();
  });

  test("SAML: the provider's form is posted without cookies, and still signs in the right browser", async () => {
    const port = await freePort();
    const shown: string[] = [];
    const origin = await serve((request, response) => {
      if (!request.url?.startsWith("/sso?")) return void response.writeHead(404).end();
      const asked = readRequest(`http://127.0.0.1${request.url}`);
      shown.push(asked.relayState);
      const xml = responseXml(asked, signAssertion(assertionXml(honest(asked))));
      response.writeHead(200, { "content-type": "text/html" }).end(
        `<!doctype html><form method="post" action="${asked.acsUrl}"><input type="hidden" name="SAMLResponse" value="${encoded(xml)}">
<input type="hidden" name="RelayState" value="${asked.relayState}"><button>Continue</button></form>`,
      );
    });
    const world = await startSite(port, [origin]);
    await world.colleague("ada");
    const provider = {
      kind: "saml",
      label: "Company",
      entity_id: entityId,
      entry_point: `${origin}/sso`,
      certificates: [ownCertificate().pem],
    };
    const made = await world.call("single_sign_on/create", provider, { as: world.owner });
    expect(made.status).toBe(200);
    const page = await world.browser.newPage();
    await page.goto(`${world.site}/sso/start?provider=${made.body.provider_id}`);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${world.site}/account`);
    expect(await sessionIn(world.browser)).toMatchObject({ domain: "localhost" });
    await page.getByText("ada@example.com").first().waitFor();
    expect(shown).toHaveLength(1);
  });
});
