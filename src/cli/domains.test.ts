import { expect, test } from "vitest";
import { commandLine } from "../../test/support/processes/command-line.ts";
import { temporaryFolder } from "../../test/support/stores.ts";

test("signalbox domains verify verifies a domain for an organization once, and refuses an invalid one", async () => {
  const home = temporaryFolder();
  const us = (...args: string[]) => commandLine([...args, "--region", "us", "--home", home, "--json"]);
  const { organization_id: organization } = JSON.parse(
    (await us("users", "create", "--email", "ada@example.com")).stdout,
  );
  const verify = (domain: string, of = organization) =>
    us("domains", "verify", "--domain", domain, "--organization", of);
  const done = await verify("Example.COM");
  expect([done.code, JSON.parse(done.stdout)]).toEqual([
    0,
    {
      domain_id: expect.stringMatching(/^dom_us_/),
      domain: "example.com",
      organization_id: organization,
      verified_at: expect.any(String),
      verified_by: "operator",
    },
  ]);
  expect((await verify("no domain")).code).toBe(2);
  expect((await verify("example.com", "org_us_none")).stderr).toContain("organization_not_found");
  const other = JSON.parse((await us("users", "create", "--email", "eve@example.org")).stdout);
  expect((await verify("example.com", other.organization_id)).stderr).toContain("domain_taken");
});
