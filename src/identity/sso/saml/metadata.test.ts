import { describe, expect, test } from "vitest";
import { newCertificate } from "../../../../test/support/sign-in/certificate.ts";
import { entityId, entryPoint, idpMetadata, ownCertificate } from "../../../../test/support/sign-in/saml-provider.ts";
import { startSamlWorld } from "../../../../test/support/sign-in/saml-world.ts";
import { TestBrowser } from "../../../../test/support/sign-in/sso-world.ts";
import { startTeam } from "../../../../test/support/team.ts";

describe("a SAML provider", () => {
  test("is created from its metadata, or field by field", async () => {
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

  test("reads our metadata, which names the address for responses", async () => {
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

  test("is refused with an unusable setting", async () => {
    const team = await startTeam("sqlite");
    for (const [pointer, wanted] of unusable) {
      const body = { kind: "saml", label: "x", ...wanted };
      const answer = await team.call("single_sign_on/create", body, { as: team.owner });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, `#/${pointer}`]);
    }
  });

  test("with an expired certificate fails its test", async () => {
    const { pem } = newCertificate({ validTo: new Date(Date.now() - 86_400_000) });
    const world = await startSamlWorld("sqlite", { metadata_xml: idpMetadata(pem) });
    const { body } = await world.call(`single_sign_on/${world.providerId}/test`, {}, { as: world.owner });
    expect([body.ok, body.checks.at(-1).detail]).toEqual([false, expect.stringContaining("has expired")]);
  });
});
