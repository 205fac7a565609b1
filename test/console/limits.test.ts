import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";

describeInBrowser("the limits of external systems", () => {
  // "Every external limit as a gauge with its window, history of the last hours, who waits, projected exhaustion."
  test("a quota that is used up shows as a full gauge, with its history, when it refills, and the run that waits", async () => {
    const world = await startConsole();
    const { page, open, call, run, connections } = world;
    const id = connections.marketing;
    await call(`connections/${id}/update`, { settings: { daily_quota: 3 } });
    const input = { method: "GET", endpoint: "/rest/v1/lists.json" };
    const tool = await call("tools/create", {
      title: "Counts calls",
      steps: [{ name: "usage", step: "marketing_api_call", connection_id: id, input }],
    });
    expect((await run("marketing_api_call", input)).body.status).toBe("succeeded");
    await measuredBefore(world, id);
    await open("limits");
    const account = page.getByRole("region", { name: (await call(`connections/${id}/get`)).body.label });
    const daily = account.getByRole("article", { name: "Calls a day" });
    const gauge = daily.getByRole("meter", { name: "Calls a day: used" });
    await daily.getByText("2 left").waitFor();
    await expect.poll(() => gauge.getAttribute("aria-valuenow")).toBe("1");
    await account.getByRole("article", { name: "Calls in a short time" }).getByText("In any 20 seconds").waitFor();
    // Whether the day ends before the quota does depends on the hour at which this test runs.
    await daily
      .getByText(/^At the pace of the last hour it (is used up at .*, before it refills at|lasts until it refills)/)
      .waitFor();
    for (const _ of [2, 3]) await run("marketing_api_call", input);
    const { run_id } = (await call(`tools/${tool.body.tool_id}/trigger_async`, { params: {} })).body;
    await daily.getByText("Used up. Calls wait until").waitFor();
    const history = daily.getByRole("img", { name: /^Calls a day: use from .* until now, at most 3$/ });
    const sixHours = await history.getAttribute("aria-label");
    const waiting = page.getByRole("region", { name: "Runs that wait" });
    await waiting.getByRole("link", { name: "Counts calls" }).click();
    await page.waitForURL(new RegExp(`/runs/${run_id}`));
    await page
      .getByText(/^Waits for a limit of the system until/)
      .first()
      .waitFor();
    await page.locator(".timeline-now").waitFor();
    await page.getByRole("link", { name: "See the limits" }).waitFor();
    await page.goBack();
    await page.getByText("24 hours", { exact: true }).click();
    await page.waitForURL(/hours=24/);
    await expect.poll(() => history.getAttribute("aria-label")).not.toBe(sixHours);
    await page.reload();
    await account.getByText("Used up. Calls wait until").waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "24 hours" }).isChecked()).toBe(true);
  });
});

const stepMilliseconds = 300_000;

/** A server measures in the background; here it has measured twenty minutes ago that nothing was used of the day. */
async function measuredBefore({ app }: ConsoleWorld, connectionId: string): Promise<void> {
  const at = Math.floor(app.now().getTime() / stepMilliseconds) * stepMilliseconds - 4 * stepMilliseconds;
  const times = [at, at + 86_400_000].map((moment) => new Date(moment).toISOString());
  await app.store.transaction((db) =>
    db.query(
      `insert into limit_history (subject, name, at, peak, used, max, resets_at)
       select distinct subject, 'daily', $2, 0, 0, 3, $3 from limit_uses where connection_id = $1`,
      [connectionId, ...times],
    ),
  );
}
