import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

describeInBrowser("the sandboxes", () => {
  // "Their clock, faults and request log in a drawer, so that a demonstration can make a system fail."
  test("are made to fail from the drawer, and the product shows what it does", async () => {
    const { page, open, run } = await startConsole();
    await open("limits");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages, tools and actions" }).waitFor();
    await page.keyboard.type("sandboxes");
    await page.getByRole("option", { name: /^Sandboxes/ }).waitFor();
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog", { name: "Sandboxes" });
    await drawer.getByRole("button", { name: "Move the clock forward by 1 hour" }).click();
    await drawer.getByText(/(59 min|1 h).*ahead/).waitFor();
    await drawer.getByRole("combobox", { name: "What goes wrong" }).click();
    await page.getByRole("option", { name: "Not allowed (403)" }).click();
    await drawer.getByLabel("Path").fill("/v6/deployments");
    await drawer.getByRole("button", { name: "Add the fault" }).click();
    const faults = drawer.getByRole("list", { name: "Faults that wait" });
    await faults.getByText("/v6/deployments").waitFor();
    expect((await run("list_deployments", { limit: 1 })).body).toMatchObject({
      status: "failed",
      problem: { code: "permission_denied" },
    });
    await drawer.getByText("None: the sandbox works as its system does.").waitFor();
    const row = drawer.getByRole("table", { name: "Requests" }).getByRole("row").nth(1);
    await expect.poll(() => row.textContent()).toMatch(/GET \/v6\/deployments403/);
    expect((await run("list_deployments", { limit: 1 })).body.status).toBe("succeeded");
    await drawer.getByRole("button", { name: "Add the fault" }).click();
    await faults.getByRole("button", { name: "Remove the fault: Not allowed (403)" }).click();
    await drawer.getByText("None: the sandbox works as its system does.").waitFor();
    expect((await run("list_deployments", { limit: 1 })).body.status).toBe("succeeded");
    await drawer.getByRole("tab", { name: "Marketing automation" }).click();
    await page.reload();
    await drawer.getByText("the same as here").waitFor();
  });
});
