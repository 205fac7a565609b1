import { expect } from "vitest";
import { operatorScope } from "../../../src/access/operator.ts";
import { verifyAsOperator } from "../../../src/identity/sso/domains.ts";
import type { StoreKind } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import { type AuthnRequest, idpMetadata, ownCertificate, readRequest } from "./saml-provider.ts";
import type { BrowserAnswer, TestBrowser } from "./sso-world.ts";

/** A team whose organization has a SAML provider, and owns the domain of its users. */
export interface SamlWorld extends Team {
  providerId: string;
  acs: string;
  /** Redirects a browser to the provider; returns the request. */
  begin(browser: TestBrowser, query?: string): Promise<AuthnRequest>;
  /** The provider responds with a form in the browser, which follows the redirects. */
  answer(browser: TestBrowser, request: AuthnRequest, response: string): Promise<BrowserAnswer>;
}

export async function startSamlWorld(
  kind: StoreKind,
  wanted: Record<string, unknown> = {},
  options: Parameters<typeof startTeam>[1] = {},
): Promise<SamlWorld> {
  const team = await startTeam(kind, options);
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
