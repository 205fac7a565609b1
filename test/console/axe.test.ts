import { expect, test } from "vitest";
import { seriousFindingsEverywhere } from "../support/browser/axe.ts";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { runOnce } from "../support/runs/runs.ts";

describeInBrowser("every page of the console", () => {
  // "axe without a serious or critical finding on every page, light and dark, 1280 and 390 px."
  // "Works from 360 px to wide screens."
  test("has no serious or critical finding of axe, and is not wider than a telephone of 360 px", async () => {
    const world = await startConsole();
    expect(await findingsOf(world, await views(world))).toEqual([]);
  }, 300_000);

  test("nor has a drawer or a form in a dialog", async () => {
    const world = await startConsole();
    expect(await findingsOf(world, await dialogs(world), "[role=dialog]")).toEqual([]);
  }, 300_000);
});

/** An address, and a text that shows that its data is there. */
type View = [address: string, text: string | RegExp];

async function findingsOf({ page, open }: ConsoleWorld, shown: View[], within: string | null = null) {
  const found: string[] = [];
  for (const [address, text] of shown) {
    await open(address);
    const part = within === null ? page.locator("body") : page.locator(within);
    await part.getByText(text).or(part.getByLabel(text)).first().waitFor();
    for (const line of await seriousFindingsEverywhere(page, within)) found.push(`${address}, ${line}`);
    await page.setViewportSize({ width: 360, height: 740 });
    const tooWide = await page.evaluate("document.documentElement.scrollWidth - 360");
    if (tooWide !== 0) found.push(`${address}, ${tooWide} px wider than the screen`);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 900 });
  }
  return found;
}

/** The pages and their main dialogs. */
async function views(world: ConsoleWorld): Promise<View[]> {
  const { call, connections, run } = world;
  const { body: done } = await run("deployment_api_call", { method: "GET", path: "/v9/projects" });
  const ask = { name: "ok", step: "approve", input: { message: "Deploy it?" } };
  const latest = {
    name: "latest",
    step: "list_deployments",
    connection_id: connections.deployment,
    input: { limit: 2 },
  };
  const { body: tool } = await call("tools/create", {
    title: "Release",
    params_schema: { type: "object" },
    steps: [latest, ask],
  });
  await call(`tools/${tool.tool_id}/publish`);
  const { body: asked } = await call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
  await runOnce(world, asked.run_id, "waiting");
  await call("schedules/create", { tool_id: tool.tool_id, cron: "0 9 * * 1-5", timezone: "Europe/Berlin", params: {} });
  const { body: agent } = await call("agents/create", { name: "Helper", instructions: "Help." });
  return [
    ["/projects", "A project"],
    ["", "Waiting for a person"],
    ["people", "owner@example.com"],
    ["people?invite=1", "Others get a mail"],
    ["integrations", "Manage"],
    [`integrations?account=${connections.marketing}`, "It passes"],
    ["integrations?connect=marketing", "REST API Endpoint"],
    ["integrations?tab=keys&new=1", "Expires after"],
    ["tools", "Release"],
    [`tools/${tool.tool_id}`, "Run the tool"],
    [`tools/${tool.tool_id}?tab=build&beside=yaml`, "The tool as YAML"],
    [`tools/${tool.tool_id}?tab=build&open=latest`, "When it runs"],
    [`tools/${tool.tool_id}?tab=logs`, asked.run_id],
    ["runs", "Succeeded"],
    [`runs/${done.run_id}`, "Status 200"],
    [`runs/${asked.run_id}`, "Deploy it?"],
    ["inbox", "Deploy it?"],
    ["reports", "Run"],
    ["deployments", "web"],
    ["agents", "Helper"],
    [`agents/${agent.agent_id}`, "New conversation"],
    [`agents/${agent.agent_id}?tab=events`, "No event yet"],
    [`agents/${agent.agent_id}?tab=setup`, "Save the agent"],
    ["agents?new=1", "Create the agent"],
    ["schedules", "weekday"],
    ["limits", "Web analytics"],
    ["audit", "Tool created"],
    ["/organization", "Projects"],
    ["/organization?tab=sign-on", "No domain yet"],
    ["/organization?tab=directory", "Connect a directory"],
    ["/organization?tab=webhooks", "No webhook yet"],
    ["/organization?tab=policies", "Second factor"],
    ["/organization?tab=sessions", "this one"],
    ["/nothing", "Go to projects"],
  ];
}

/** Drawers and create forms over pages that `views` has: axe looks at them alone. */
async function dialogs({ call, connections }: ConsoleWorld): Promise<View[]> {
  const { body: audit } = await call("audit/list", { limit: 1 });
  const read = { connection_id: connections.deployment, input: { limit: 1 } };
  const { body: listed } = await call("steps/list_deployments/read", read);
  const wish = { url: "https://receiver.example/hook", events: ["run.failed"] };
  const { body: webhook } = await call("webhooks/create", wish);
  return [
    ["deployments?new=1", /^Show \d+ more fields$/],
    [`deployments?deployment=${listed.output.deployments[0].deployment_id}`, "Build log"],
    ["schedules?new=1", "When it runs"],
    [`audit?row=${audit.results[0].seq}`, "Request"],
    [`/organization?tab=webhooks&webhook=${webhook.webhook_id}`, "Send a test"],
    ["/organization?tab=webhooks&new=webhook", "Add the webhook"],
    ["/organization?tab=sign-on&new=provider", "Add the provider"],
    ["limits?sandboxes=1", "Faults"],
  ];
}
