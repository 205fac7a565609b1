import { describe, expect, test } from "vitest";
import { problemOf } from "../../test/support/calls/problem-of.ts";
import { startVault } from "../../test/support/systems/vault.ts";

describe("a connection that cannot be right is refused before anything is sent", () => {
  test.each([
    ["marketing", {}, "#/credentials/client_id"],
    ["marketing", { client_id: "a" }, "#/credentials/client_secret"],
    ["marketing", { client_id: "a\r\nb", client_secret: "c" }, "#/credentials/client_id"],
    ["marketing", { client_id: 7, client_secret: "c" }, "#/credentials/client_id"],
    ["deployment", {}, "#/credentials/token"],
    ["deployment", { token: "a b" }, "#/credentials/token"],
    ["analytics", {}, "#/credentials"],
    ["analytics", { service_account_key: "not json" }, "#/credentials/service_account_key"],
    ["analytics", { service_account_key: { client_email: "a" } }, "#/credentials/service_account_key"],
    ["analytics", { service_account_key: { web: { client_id: "a" } } }, "#/credentials/service_account_key"],
  ] as const)("%s with %j is pointed at", async (system, credentials, pointer) => {
    const world = await startVault("sqlite", {});
    const wish = { system, instance: "sandbox", credentials: credentials as Record<string, unknown> };
    const problem = await problemOf(world.vault.verify(world.projectId, wish));
    expect([problem.code, problem.extras.errors?.[0]?.pointer]).toEqual(["validation_failed", pointer]);
  });

  test.each([
    "https://10.0.0.1",
    "https://[::1]",
    "https://example.com:8443",
    "http://example.com",
    "https://example.com/api",
    "https://u:p@example.com",
    "ftp://example.com",
    "prod",
  ])("%s is no instance", async (instance) => {
    const world = await startVault("sqlite", {});
    const wish = { system: "deployment", instance, credentials: { token: "t" } } as const;
    const problem = await problemOf(world.vault.verify(world.projectId, wish));
    expect([problem.code, problem.extras.errors?.[0]?.pointer]).toEqual(["validation_failed", "#/instance"]);
  });
});
