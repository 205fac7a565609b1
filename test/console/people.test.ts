import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";
import { scimOf } from "../support/scim/scim.ts";
import { asRole, type Team } from "../support/team.ts";

describeInBrowser("people in the console", () => {
  // "Members with roles (change in place), invites (copy link, resend, delete); last admin explained before it is refused."
  test("a role changes in place, the last admin sees why not, a person from the directory is marked, an invite is sent again and deleted after a question; a service user gets a key that works", async () => {
    const { page, open, call, app, owner, site, projectId } = await startConsole({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const bea = await app.person("bea@example.org", owner);
    await call("auth/invite/create", { email: bea.email, permissions: asRole("viewer") });
    for (const email of ["cy@example.com", "di@example.com"]) {
      await call("auth/invite/create", { email, permissions: asRole("viewer") });
    }
    // "What came from the directory is marked and says so when touched."
    const directory = await scimOf({ ...app, owner } as Team);
    const { id: grace } = await directory.user("grace@example.net");
    const { id: group } = await directory.group("Editors", [grace]);
    const roles = [{ project_id: projectId, permissions: asRole("editor") }];
    await call(`directory/groups/${group}/roles`, { directory_id: directory.directoryId, roles });
    await open("people");
    const row = (email: string) => page.getByRole("row", { name: new RegExp(email) });
    await row(owner.email).getByText("The last admin. Make another person admin first.").waitFor();
    expect(
      await row(owner.email)
        .getByRole("button", { name: /^Remove/ })
        .isDisabled(),
    ).toBe(true);
    const managed = row("grace@example.net");
    await managed.getByText("directory", { exact: true }).waitFor();
    await managed.getByText("Comes from a group of your organization's directory. Change it there.").waitFor();
    for (const control of [managed.getByRole("combobox"), managed.getByRole("button", { name: /^Remove/ })]) {
      expect(await control.isDisabled()).toBe(true);
    }
    await page.getByRole("combobox", { name: `Role of ${bea.email}` }).click();
    await page.getByRole("option", { name: "Admin" }).click();
    await row(owner.email).getByText("The last admin.").waitFor({ state: "detached" });
    const { results: members } = (await call("auth/users/list")).body;
    expect(members.find(({ email }: { email: string }) => email === bea.email).role).toBe("admin");

    const codeOf = async (wanted: string) =>
      (await call("auth/invite/list", {})).body.results.find(({ email }: { email: string }) => email === wanted)
        ?.invite_code;
    await row("cy@example.com").getByRole("button", { name: "Copy link" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `${site}/invite#${await codeOf("cy@example.com")}`,
    );
    await page.getByRole("button", { name: "Resend the invite to di@example.com" }).click();
    await page.getByText("The invite was sent again to di@example.com.").waitFor();
    // A second click does not reach the row that moves up.
    await page.getByRole("button", { name: "Delete the invite to cy@example.com" }).dblclick();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the invite" }).click();
    await row("cy@example.com").waitFor({ state: "detached" });
    expect([await codeOf("cy@example.com"), await codeOf("di@example.com")]).toEqual([undefined, expect.any(String)]);

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages, tools and actions" }).fill("invite a person");
    await page.getByRole("option", { name: /^Invite a person/ }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Invite a person" });
    await dialog.getByLabel("E-mail").fill("eve@example.com");
    await dialog.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByRole("table", { name: "Open invites" }).getByText("eve@example.com").waitFor();
    expect(await codeOf("eve@example.com")).toEqual(expect.any(String));
    await page.getByRole("button", { name: "Create a service user" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("nightly deployment");
    await page.getByRole("dialog").getByRole("combobox", { name: "Role in this project" }).click();
    await page.getByRole("option", { name: "Viewer" }).click();
    await page.getByRole("button", { name: "Create the service user" }).click();
    const apiKey = (await page.locator("code.secret").textContent()) ?? "";
    await page.getByText("It is in this project.").waitFor();
    await page.getByRole("button", { name: "I have copied it" }).click();
    const service = page.getByRole("table", { name: "Service users" }).getByRole("row", { name: /nightly deployment/ });
    expect(await service.getByRole("combobox").inputValue()).toBe("Viewer");
    expect(await page.getByRole("table", { name: "Members" }).locator("tbody tr").count()).toBe(3);
    const ask = async (key = apiKey) => {
      const headers = { authorization: `Bearer ${projectId}:${key}`, "content-type": "application/json" };
      const url = "/latest/schedules/list";
      return (await app.app.inject({ method: "POST", url, headers, payload: "{}" })).statusCode;
    };
    expect(await ask()).toBe(200);
    // Its keys are listed, a second one is made, and the first is revoked after a question.
    await service.getByRole("button", { name: "Keys of nightly deployment" }).click();
    await page.getByRole("button", { name: "New key", exact: true }).click();
    const newKey = page.getByRole("dialog", { name: "New key for nightly deployment" });
    await newKey.getByLabel("Name").fill("second machine");
    await newKey.getByRole("button", { name: "Create the key" }).click();
    const second = (await page.locator("code.secret").textContent()) ?? "";
    await newKey.getByRole("button", { name: "I have copied it" }).click();
    const keys = page.getByRole("table", { name: "Keys of nightly deployment" });
    await keys.getByText("second machine").waitFor();
    await keys.getByRole("button", { name: "Revoke first key" }).click();
    const question = page.getByRole("dialog", { name: "Revoke first key?" });
    expect(await ask()).toBe(200);
    await question.getByRole("button", { name: "Revoke the key" }).click();
    await keys.getByRole("row", { name: /first key.*Revoked/ }).waitFor();
    expect([await ask(), await ask(second)]).toEqual([401, 200]);
    await page
      .getByRole("dialog", { name: "Keys of nightly deployment" })
      .getByRole("button", { name: "Close" })
      .click();
    await keys.waitFor({ state: "detached" });
    await service.getByRole("button", { name: "Remove nightly deployment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove from the project" }).click();
    await service.getByRole("button", { name: "Remove nightly deployment" }).waitFor({ state: "detached" });
    expect(await ask(second)).not.toBe(200);
  });
});
