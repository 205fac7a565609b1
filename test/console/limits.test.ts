import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser.ts";
import { startConsole } from "../support/console.ts";

describeInBrowser("the limits of external systems", () => {
  // "Every external limit as a gauge with its window, history of the last hours, who waits, projected exhaustion."
  test("a quota that is used up shows as a full gauge, with its history, when it refills, and the run that waits", async () => {
    const { page, open, call, run, connections } = await startConsole();
    const id = connections.marketing;
    await call(`connections/${id}/update`, { settings: { daily_quota: 3 } });
    const input = { method: "GET", endpoint: "/rest/v1/lists.json" };
    const tool = await call("tools/create", {
      title: "Counts calls",
      steps: [{ name: "usage", step: "marketing_api_call", connection_id: id, input }],
    });
    expect((await run("marketing_api_call", input)).body.status).toBe("succeeded");
    await open("limits");
    const account = page.getByRole("region", { name: (await call(`connections/${id}/get`)).body.label });
    const daily = account.getByRole("article", { name: "Calls a day" });
    const gauge = daily.getByRole("meter", { name: "Calls a day: used" });
    await daily.getByText("2 left").waitFor();
    await expect.poll(() => gauge.getAttribute("aria-valuenow")).toBe("1");
    await account.getByRole("article", { name: "Calls in a short time" }).getByText("In any 20 seconds").waitFor();
    for (const _ of [2, 3]) await run("marketing_api_call", input);
    const { run_id } = (await call(`tools/${tool.body.tool_id}/trigger_async`, { params: {} })).body;
    await daily.getByText("Used up. Calls wait until").waitFor();
    await daily.getByRole("img", { name: /at most 3$/ }).waitFor();
    const waiting = page.getByRole("region", { name: "Runs that wait" });
    await waiting.getByRole("link", { name: "Counts calls" }).click();
    await page.waitForURL(new RegExp(`/runs/${run_id}`));
    await page.goBack();
    await page.getByText("24 hours", { exact: true }).click();
    await page.waitForURL(/hours=24/);
    await page.reload();
    await account.getByText("Used up. Calls wait until").waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "24 hours" }).isChecked()).toBe(true);
  });
});
