import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { verifyAsOperator } from "../../src/identity/sso/domains.ts";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { addVirtualAuthenticator } from "../support/browser/pages.ts";
import { freePort } from "../support/processes/free-ports.ts";
import { startIdentityProvider } from "../support/sign-in/identity-provider.ts";
import { goodPassword } from "../support/sign-in/sign-in.ts";

/** Calls as a program with the key. */
async function callWith({ site, projectId }: ConsoleWorld, apiKey: string, operation: string) {
  const headers = { authorization: `Bearer ${projectId}:${apiKey}`, "content-type": "application/json" };
  const answer = await fetch(`${site}/latest/${operation}`, { method: "POST", headers, body: "{}" });
  return { status: answer.status, code: ((await answer.json()) as { code?: string }).code };
}

const shownKey = async (page: Page): Promise<string> =>
  (await page.getByRole("dialog").locator("code.secret").innerText()).trim();

describeInBrowser("API keys", () => {
  test("a person without a password confirms with a passkey, or at the identity provider, and what was typed is still there", async () => {
    const port = await freePort();
    const people = [{ sub: "u-1", email: "owner@example.com", name: "Owner" }];
    const idp = await startIdentityProvider(`http://localhost:${port}/sso/oidc/callback`, people);
    const world = await startConsole({}, { port, privateOrigins: [idp.issuer] });
    const { page, open, call, app, site, owner } = world;
    await verifyAsOperator(operatorScope(app.store, "us", app.now), owner.organizationId, "example.com");
    const { issuer, clientId: client_id, clientSecret: client_secret } = idp;
    await call("single_sign_on/create", { kind: "oidc", label: "Company", issuer, client_id, client_secret });
    await page.goto(`${site}/account`);
    await addVirtualAuthenticator(page);
    await page.getByLabel("Name of the new passkey").fill("My laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.locator("#passkeys").getByText("My laptop").waitFor();
    // Signed in a while ago, and the password is gone. The provider's clock is a real one, so ours cannot be moved.
    const forget = () =>
      app.store.transaction(async (db) => {
        await db.query("update sessions set confirmed_at = '2020-01-01T00:00:00.000Z'");
        await db.query("delete from passwords");
      });
    await forget();
    const dialog = page.getByRole("dialog", { name: "Create an API key" });
    const confirming = page.getByRole("dialog", { name: "Confirm that it is you" });
    const create = dialog.getByRole("button", { name: "Create the key" });
    await open("integrations?tab=keys&new=1");
    await dialog.getByLabel("Name").fill("by passkey");
    await create.click();
    await confirming.getByRole("button", { name: "Use a passkey" }).click();
    expect(await callWith(world, await shownKey(page), "connections/list")).toMatchObject({ status: 200 });

    await forget();
    await open("integrations?tab=keys&new=1");
    await dialog.getByLabel("Name").fill("by the provider");
    await create.click();
    expect(await confirming.getByLabel("Password").count()).toBe(0);
    await confirming.getByRole("link", { name: "Continue with Company" }).click();
    await page.getByLabel("Address").fill("owner@example.com");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("by the provider");
    await create.click();
    expect(await callWith(world, await shownKey(page), "connections/list")).toMatchObject({ status: 200 });
  });

  // "The API key is created in the account area named Integrations & API Keys."
  test("a key is made, narrowed, shown once and works; re-rolled, both work; revoked only after asking", async () => {
    const world = await startConsole({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, open, projectId, call, app } = world;
    // Long after the sign-in a new key asks who it is, and then goes on.
    app.advance(16 * 60);
    await open("integrations?tab=keys&new=1");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("nightly report");
    await dialog.getByRole("combobox", { name: "Expires after" }).click();
    await page.getByRole("option", { name: "7 days" }).click();
    await dialog.getByRole("combobox", { name: "Projects" }).click();
    await page.getByRole("option", { name: "A project" }).click();
    await page.keyboard.press("Tab");
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Viewer at most" }).click();
    await dialog.getByRole("button", { name: "Create the key" }).click();
    const confirming = page.getByRole("dialog", { name: "Confirm that it is you" });
    await confirming.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await confirming.getByRole("button", { name: "Confirm" }).click();
    await confirming.waitFor({ state: "detached" });
    const first = await shownKey(page);
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(first);
    expect(await callWith(world, first, "connections/list")).toMatchObject({ status: 200 });
    expect(await callWith(world, first, "auth/invite/list")).toMatchObject({ status: 403 });
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    const row = page.getByRole("table", { name: "API keys" }).getByRole("row", { name: /nightly report/ });
    await row.getByText("Viewer at most").waitFor();
    await row.getByText("A project").waitFor();
    await row.getByText("in 7 days").waitFor();
    const [made] = (await call("auth/keys/list")).body.results.filter(
      ({ label }: { label: string }) => label === "nightly report",
    );
    expect(made).toMatchObject({ project_ids: [projectId], max_role: "viewer" });
    await row.getByText("Never").waitFor();
    // The server writes it down later, for many keys at once.
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const used = [made.key_id, anHourAgo];
    await app.store.transaction((db) => db.query("update api_keys set last_used_at = $2 where id = $1", used));
    expect(await page.content()).not.toContain(first);
    expect(page.url()).toBe(`${world.site}/projects/${projectId}/integrations?tab=keys`);

    const reroll = page.getByRole("button", { name: "Re-roll nightly report" });
    await reroll.click();
    await dialog.getByRole("combobox", { name: "The old key" }).click();
    await page.getByRole("option", { name: "Works for one more hour" }).click();
    await page.reload();
    await row.getByText("1 hour ago").waitFor();
    await reroll.click();
    expect(await dialog.getByRole("combobox", { name: "The old key" }).inputValue()).toBe("Works for one more hour");
    await dialog.getByRole("button", { name: "Make the new key" }).click();
    const second = await shownKey(page);
    expect(second).not.toBe(first);
    expect(await callWith(world, first, "connections/list")).toMatchObject({ status: 200 });
    expect(await callWith(world, second, "connections/list")).toMatchObject({ status: 200 });
    await dialog.getByRole("button", { name: "I have copied it" }).click();

    const statuses = async () => {
      const { body } = await call("auth/keys/list", { limit: 100 });
      const ours = body.results.filter(({ label }: { label: string }) => label === "nightly report");
      return ours.map(({ status }: { status: string }) => status).sort();
    };
    const revoke = page.getByRole("button", { name: "Revoke nightly report" }).first();
    const { x = 0, y = 0 } = (await revoke.boundingBox()) ?? {};
    await revoke.dblclick();
    await dialog.getByText("A revoked key cannot be restored.").waitFor();
    // The second click of a double click, where the question is quicker than the finger.
    await page.mouse.click(x + 2, y + 2);
    expect(await statuses()).toEqual(["active", "active"]);
    await dialog.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByRole("table", { name: "API keys" }).getByText("Revoked").waitFor();
    expect(await statuses()).toEqual(["active", "revoked"]);
  });
});
