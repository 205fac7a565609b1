import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { runOnce } from "../support/runs/runs.ts";

describeInBrowser("schedules in the console", () => {
  test("“every weekday at 9:00 Berlin” is built with its next five times, survives a reload, and starts the tool", async () => {
    const world = await startConsole({ timezoneId: "America/New_York" });
    const { page, open, call } = world;
    const toolId = await newTool(world);
    await open("schedules?new=1");
    const dialog = page.getByRole("dialog", { name: "New schedule" });
    const preview = dialog.getByRole("status", { name: "When it runs" });
    await preview.getByText("Every weekday at 9:00, New York").waitFor();
    await dialog.getByRole("combobox", { name: "Time zone" }).fill("berl");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await dialog.getByRole("combobox", { name: "Tool" }).fill("digest");
    await page.getByRole("option", { name: "Morning digest" }).click();
    await dialog.getByLabel("branch").fill("main");
    await page.reload();
    await preview.getByText("Every weekday at 9:00, Berlin").waitFor();
    const times = preview.getByRole("listitem");
    await expect.poll(() => times.count()).toBe(5);
    for (const text of await times.allTextContents()) expect(text).toMatch(/^(Mon|Tue|Wed|Thu|Fri), .*09:00$/);
    await expect.poll(() => dialog.getByLabel("branch").inputValue()).toBe("main");
    await dialog.getByRole("button", { name: "Create the schedule" }).click();
    const row = page.getByRole("row", { name: /Every weekday at 9:00, Berlin/ });
    await row.waitFor();
    const { results } = (await call("schedules/list")).body;
    expect(results).toMatchObject([
      { tool_id: toolId, cron: "0 9 * * 1-5", time_zone: "Europe/Berlin", params: { branch: "main" }, enabled: true },
    ]);
    await page.getByRole("button", { name: /^Run now/ }).click();
    await page.getByRole("link", { name: "Open the run" }).click();
    await page.waitForURL(/\/runs\/run_us_/);
    const runId = page.url().split("/").at(-1) ?? "";
    expect(await runOnce(world, runId, "succeeded")).toMatchObject({ tool_id: toolId, params: { branch: "main" } });
  });

  test("a schedule shows what it missed and its last result; it is paused, changed with mistakes beside the field, and deleted", async () => {
    const world = await startConsole();
    const { page, open, call, app } = world;
    const toolId = await newTool(world);
    const schedule = { tool_id: toolId, cron: "30 6 L * *", time_zone: "UTC", params: { branch: "main" } };
    const { schedule_id: id } = (await call("schedules/create", schedule)).body;
    const { run_id: runId } = (await call(`tools/${toolId}/trigger`, { params: { branch: "main" } })).body;
    await app.store.transaction((db) =>
      db.query("update schedules set last_run_id = $2, last_at = $3, last_problem = $4 where id = $1", [
        id,
        runId,
        app.now().toISOString(),
        JSON.stringify({ code: "missed", detail: "Nothing could be started in time." }),
      ]),
    );
    await open("schedules");
    const row = page.getByRole("row", { name: /On the last day of the month at 6:30, UTC/ });
    await row.getByText("Nothing could be started in time.").waitFor();
    expect(await row.getByRole("link", { name: /Succeeded/ }).getAttribute("href")).toContain(runId);
    await row.getByRole("button", { name: /^Pause/ }).click();
    await row.getByText("None while it is paused").waitFor();
    expect((await call("schedules/list")).body.results[0].enabled).toBe(false);
    await row.getByRole("button", { name: /^Resume/ }).click();
    await row.getByRole("button", { name: /^Pause/ }).waitFor();
    await row.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Change the schedule" });
    await dialog.getByRole("combobox", { name: "Repeats" }).click();
    await page.getByRole("option", { name: "Own cron expression" }).click();
    await dialog.getByLabel("Cron expression").fill("0 9 * *");
    await dialog.getByText(/^Give five fields/).waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Save the schedule" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Cron expression").fill("*/20 8-17 * * 1-5");
    await dialog.getByText("Every 20 minutes from 8:00 to 17:59, every weekday, UTC").waitFor();
    await dialog.getByRole("button", { name: "Save the schedule" }).click();
    await page.getByRole("row", { name: /Every 20 minutes/ }).waitFor();
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the schedule" }).click();
    await page.getByText("No schedule yet").waitFor();
    expect((await call("schedules/list")).body.results).toEqual([]);
  });
});

async function newTool({ call }: ConsoleWorld): Promise<string> {
  const { body } = await call("tools/create", {
    title: "Morning digest",
    params_schema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
    steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }],
  });
  return body.tool_id;
}
