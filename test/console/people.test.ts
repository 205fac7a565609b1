import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser.ts";
import { startConsole } from "../support/console.ts";

describeInBrowser("people in the console", () => {
  test("the command menu opens the invite dialog; a service user gets a role and a key that works, and is removed", async () => {
    const { page, open, call, app, projectId } = await startConsole();
    await open("people");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages, tools and actions" }).fill("invite a person");
    await page.getByRole("option", { name: /^Invite a person/ }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("E-mail").fill("bea@example.org");
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByRole("table", { name: "Open invites" }).getByText("bea@example.org").waitFor();
    expect((await call("auth/invite/list")).body.results).toMatchObject([{ email: "bea@example.org" }]);
    await page.getByRole("button", { name: "Create a service user" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("nightly deployment");
    await page.getByRole("dialog").getByRole("combobox", { name: "Role in this project" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await page.getByRole("button", { name: "Create the service user" }).click();
    const apiKey = (await page.locator("code.secret").textContent()) ?? "";
    await page.getByText("It is in this project.").waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();
    const row = page.getByRole("table", { name: "Service users" }).getByRole("row", { name: /nightly deployment/ });
    expect(await row.getByRole("combobox").inputValue()).toBe("Viewer");
    expect(await page.getByRole("table", { name: "Members" }).locator("tbody tr").count()).toBe(1);
    const ask = async () => {
      const headers = { authorization: `Bearer ${projectId}:${apiKey}`, "content-type": "application/json" };
      const url = "/latest/schedules/list";
      return (await app.app.inject({ method: "POST", url, headers, payload: "{}" })).statusCode;
    };
    expect(await ask()).toBe(200);
    await row.getByRole("button", { name: "Remove nightly deployment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove from the project" }).click();
    await row.getByPlaceholder("Not in this project").waitFor();
    expect(await ask()).not.toBe(200);
  });
});
