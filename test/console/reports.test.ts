import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";

const shop = "/v1beta/properties/1000:runReport";

describeInBrowser("reports in the console", () => {
  test("fields are found by their meaning, the cost comes before, and a link shows the same figures for nothing", async () => {
    const { page, open, call, sandboxes } = await startConsole();
    const asked = async () => (await sandboxes.analytics.requests(shop)).length;
    await open("reports");
    await page.getByText("Costs about 1 token", { exact: false }).waitFor();
    await page.getByRole("combobox", { name: "Property" }).fill("1000");
    await page.getByRole("option", { name: /^Shop/ }).click();
    const metrics = page.getByRole("combobox", { name: "Metrics" });
    await metrics.fill("not engaged");
    const found = page.getByRole("option", { name: /^Bounce rate/ });
    await expect.poll(() => found.textContent()).toContain("Share of sessions that were not engaged.");
    await metrics.fill("");
    await page.keyboard.press("Escape");
    // "The country of the visitor" is what the system says about it.
    await page.getByRole("combobox", { name: "Dimensions" }).fill("country of the visitor");
    await page.getByRole("option", { name: /^Country/ }).click();
    await page.getByRole("combobox", { name: "Dates" }).click();
    await page.getByRole("option", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: "Add a filter" }).click();
    await page.getByRole("combobox", { name: "Field of filter 1" }).fill("Country");
    await page.getByRole("option", { name: "Country", exact: true }).click();
    await page.getByLabel("Value of filter 1").fill("France");
    await expect.poll(() => new URL(page.url()).searchParams.get("filters")).toContain("France");
    expect(await asked()).toBe(0);
    await page.getByRole("button", { name: "Run the report" }).click();
    await page.getByRole("img", { name: "Chart of Active users by Date" }).waitFor();

    const { body: runs } = await call("runs/list", { step_id: "run_reports" });
    const { body: run } = await call(`runs/${runs.results[0].run_id}/get`);
    expect(run.params).toMatchObject({
      property_id: "1000",
      dimensions: ["date", "country"],
      date_range: { start_date: "7daysAgo", end_date: "yesterday" },
      filters: [{ field: "country", operator: "equals", value: "France" }],
    });
    // Users who came on two days are not two users: the total is the system's, not a sum of rows.
    const total = `Active users${run.output.totals.activeUsers.toLocaleString("en")}`;
    const tile = page.getByRole("region", { name: "Totals" }).getByRole("button", { name: "Active users" });
    await expect.poll(() => tile.textContent()).toBe(total);
    const before = await asked();
    // "Line, bar, table with totals."
    const show = page.getByRole("radiogroup", { name: "Show as" });
    expect(await page.locator(".recharts-line").count()).toBeGreaterThan(0);
    await show.getByText("Bar").click();
    await page.locator(".recharts-bar").first().waitFor();
    expect(new URL(page.url()).searchParams.get("show")).toBe("bar");
    await show.getByText("Table").click();
    await page.getByRole("img", { name: /^Chart of/ }).waitFor({ state: "detached" });
    const totalRow = page.getByRole("table", { name: "Report" }).getByRole("row", { name: /^Total/ });
    expect(await totalRow.textContent()).toContain(run.output.totals.activeUsers.toLocaleString("en"));
    expect(await page.getByRole("button", { name: "Download PNG" }).isDisabled()).toBe(true);
    await show.getByText("Line").click();
    await page.reload();
    await page.getByRole("img", { name: "Chart of Active users by Date" }).waitFor();
    await expect.poll(() => tile.textContent()).toBe(total);
    expect([await page.getByLabel("Value of filter 1").inputValue(), await asked()]).toEqual(["France", before]);

    await page.getByRole("button", { name: "Save as a tool" }).click();
    await page.getByRole("link", { name: "Open the tool" }).click();
    await page.getByRole("heading", { level: 1, name: "Active users, Sessions by date, country" }).waitFor();
    const { body: tools } = await call("tools/list");
    expect(tools.results[0].steps[0]).toMatchObject({ step: "run_reports", input: run.params });
  });

  test("properties of two accounts stand side by side, told apart by name, and leave as CSV that runs no formula and as a picture", async () => {
    const { page, open, call, sandboxes } = await startConsole();
    const credentials = { refresh_token: sandboxes.analytics.credentials.oauth.refresh_tokens.administrator };
    const wish = { system: "analytics", instance: "sandbox", label: "Second account", credentials };
    expect((await call("connections/connect", wish)).status).toBe(200);
    const row = (value: string, count: number) => ({
      dimensionValues: [{ value }],
      metricValues: [{ value: String(count) }],
    });
    const body = {
      dimensionHeaders: [{ name: "pagePath" }],
      metricHeaders: [{ name: "sessions", type: "TYPE_INTEGER" }],
      rows: [row('=HYPERLINK("http://evil.example")', 7), row("/a,b", 5)],
      rowCount: 2,
    };
    const fault = { match: { method: "POST", path: shop }, times: 2, status: 200, body };
    await open("reports?metrics=sessions&by=pagePath");
    await page.getByText("Costs about", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Compare with another property" }).click();
    await page.getByText("Costs about 2 tokens", { exact: false }).waitFor();
    await page.getByRole("combobox", { name: "Account 2" }).click();
    await page.getByRole("option", { name: /^Second account/ }).click();
    await page.getByRole("combobox", { name: "Property 2" }).click();
    await page.getByRole("option", { name: /^Journal/ }).click();
    await page.getByRole("button", { name: "Compare with another property" }).click();
    await page.getByText("Costs about 3 tokens", { exact: false }).waitFor();
    await sandboxes.analytics.control("faults", fault);
    await page.getByRole("button", { name: "Run the report" }).click();
    await page.getByRole("columnheader", { name: "Sessions, Journal · Second account" }).waitFor();

    const csv = (await bytesOf(page, "Download CSV")).toString("utf8").split("\r\n");
    // Both accounts have a property of this name.
    expect(csv[0]).toMatch(
      /Page path,"Sessions, Shop · [^"]+","Sessions, Journal · Second account","Sessions, Shop · Second account"$/,
    );
    expect(csv[1]).toBe(`"'=HYPERLINK(""http://evil.example"")",7,,7`);
    expect(csv[2]).toMatch(/^"\/a,b",5,.*,5$/);
    const png = await bytesOf(page, "Download PNG");
    expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect(png.readUInt32BE(16)).toBeGreaterThan(800);
    expect(png.length).toBeGreaterThan(5000);
  });
});

async function bytesOf(page: Page, button: string): Promise<Buffer> {
  const begun: Promise<Download> = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return readFile(await (await begun).path());
}
