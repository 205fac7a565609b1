import { expect, test } from "vitest";
import { describeInBrowser } from "../support/browser/browser.ts";
import { type ConsoleWorld, startConsole } from "../support/browser/console.ts";
import { runOnce } from "../support/runs/runs.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

describeInBrowser("the inbox", () => {
  // "Approvals bound to the shown request; a count in the navigation; keyboard for going through it."
  test("approvals and lost answers are settled by keys alone, and the focus goes to the next item", async () => {
    const world = await startConsole();
    const { page, open, call, app, sandboxes } = world;
    const first = await askedDeployment(world, "main");
    const second = await askedDeployment(world, "other");
    const lost = await lostTrigger(world);
    await open("inbox");
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await page.getByRole("navigation").getByLabel("3 waiting").waitFor();
    // "A count in the navigation", also where the address names no project.
    await open("/organization");
    await page.getByRole("navigation").getByLabel("3 waiting").waitFor();
    await open("inbox");
    const rows = page.getByRole("list", { name: "Waiting" }).getByRole("button");
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByText("What was sent").waitFor();
    await page.getByText("/rest/v1/campaigns/1/trigger.json").first().waitFor();
    await page.getByText("If the first one did happen after all, it happens twice").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => new URL(page.url()).searchParams.get("item")).toBe(`${second}.ok`);
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator("#inbox-item:focus").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "It did not happen?" }).getByRole("button", { name: /^No/ }).click();
    await expect.poll(async () => (await call(`runs/${lost}/get`)).body.status).toBe("failed");
    await page.locator(`[id="inbox-${first}.ok"]:focus`).waitFor();
    await page.getByRole("navigation").getByLabel("2 waiting").waitFor();
    await page.getByText('"ref": "main"').waitFor();
    await page.keyboard.press("y");
    await page.getByRole("button", { name: "Approve and send" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await call(`runs/${first}/get`)).body.status).toBe("succeeded");
    await page.locator(`[id="inbox-${second}.ok"]:focus`).waitFor();
    // A key acts on what is shown, so before that it does nothing.
    await page.getByText('"ref": "other"').waitFor();
    const posts = async () =>
      (await sandboxes.deployment.requests("/v13/deployments")).filter(({ method }) => method === "POST").length;
    const sent = await posts();
    // "Approvals bound to the shown request": where it is another by now, nobody approves what they have not read.
    await page.route(
      "**/approve",
      async (route) => {
        await askForAnother(world, second);
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press("y");
    await page.getByRole("button", { name: "Approve and send" }).click();
    await page.getByText("The request has changed since you opened it.").waitFor();
    await page.getByText('"ref": "changed"').waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await call(`runs/${second}/get`)).body.status).toBe("waiting");
    await page.keyboard.press("n");
    await page.getByRole("dialog").getByRole("button", { name: "Refuse" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    await expect.poll(async () => (await call(`runs/${second}/get`)).body.status).toBe("failed");
    expect(await posts()).toBe(sent);

    // "What the probe saw", and "try again" with its consequence.
    const unseen = await lostDeployment(world);
    app.context.rooms.runs.wake();
    await page.getByText("What was seen since").waitFor();
    await page.getByText(/^The system was asked (once|\d+ times), last/).waitFor();
    const seen = page.getByLabel("What the system returned");
    await expect.poll(() => seen.textContent()).toContain("maintenance");
    expect(await posts()).toBe(sent + 1);
    await page.keyboard.press("r");
    const again = page.getByRole("dialog", { name: "Send it again?" });
    await again.getByText("If the first one did happen after all, it happens twice").waitFor();
    await again.getByRole("button", { name: "Send it again" }).click();
    await expect.poll(async () => (await call(`runs/${unseen}/get`)).body.status).toBe("succeeded");
    expect(await posts()).toBe(sent + 2);
    await page.getByText("Nothing waits for you").waitFor();
  });

  test("an account is reconnected and a failed delivery sent again without leaving it", async () => {
    const receiver = await startReceiver();
    const { page, open, call, app, sandboxes, connections } = await startConsole(
      {},
      { privateOrigins: [receiver.origin] },
    );
    const { deliveries } = app.context.rooms.webhooks;
    const events = ["connection.needs_reconnect"];
    const { body: webhook } = await call("webhooks/create", { url: receiver.url, events });
    const error = { code: "forbidden", message: "Not authorized", invalidToken: true };
    const lost = { match: { path: "/v2/user" }, times: 1, status: 403, body: { error } };
    await sandboxes.deployment.control("faults", lost);
    const id = connections.deployment;
    expect((await call(`connections/${id}/check`)).body.state).toBe("needs_reconnect");
    receiver.answerWith(410);
    await deliveries.sendDue();
    await open("inbox");
    await page.getByRole("navigation").getByLabel("2 waiting").waitFor();
    await page
      .getByRole("button", { name: /^Reconnect/ })
      .and(page.locator(":enabled"))
      .waitFor();
    await page.keyboard.press("c");
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Sign in at Deployment platform" }).click();
    const popUp = await opened;
    await popUp.getByRole("link", { name: /^Continue to/ }).click();
    await popUp.getByRole("button", { name: "Install" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    expect((await call(`connections/${id}/get`)).body.state).toBe("connected");
    await page.locator(`[id="inbox-${webhook.webhook_id}"]:focus`).waitFor();
    receiver.answerWith(200);
    await page.getByRole("button", { name: /end again/ }).waitFor();
    await page.keyboard.press("s");
    await page.getByText("Nothing waits for you").waitFor();
    expect(await deliveries.sendDue()).toBe(1);
    expect(receiver.received.at(-1)?.body.type).toBe("connection.needs_reconnect");
  });
});

/** A run that asks before it deploys a branch. */
async function askedDeployment(world: ConsoleWorld, branch: string): Promise<string> {
  const { call, connections } = world;
  const deploy = { step: "create_deployment", connection_id: connections.deployment };
  const steps = [
    { name: "ok", step: "approve", input: { message: `Deploy ${branch}?` } },
    { name: "deploy", ...deploy, input: { project: "web", branch } },
  ];
  const { body: tool } = await call("tools/create", { title: "Deploy", params_schema: { type: "object" }, steps });
  const { body } = await call(`tools/${tool.tool_id}/trigger_async`, { params: {} });
  await runOnce(world, body.run_id, "waiting");
  return body.run_id;
}

/** The run asks for another request than before, as after a change of the account that it uses. */
async function askForAnother({ app }: ConsoleWorld, runId: string): Promise<void> {
  await app.store.transaction((db) =>
    db.query("update runs set waiting_for = replace(waiting_for, $2, $3) where id = $1", [
      runId,
      '"ref":"other"',
      '"ref":"changed"',
    ]),
  );
}

/** A deployment that was created; its answer is lost, and the system does not tell either. */
async function lostDeployment({ run, sandboxes }: ConsoleWorld): Promise<string> {
  const { control } = sandboxes.deployment;
  await control("faults", { match: { method: "POST", path: "/v13/deployments" }, times: 1, drop: "after" });
  const body = { error: { code: "internal_server_error", message: "Down for maintenance" } };
  await control("faults", { match: { method: "GET", path: "/v6/deployments" }, times: 100, status: 503, body });
  const { body: ended } = await run("create_deployment", { project: "web", branch: "main" });
  expect(ended.status).toBe("outcome_unknown");
  return ended.run_id;
}

/** A campaign that is triggered; the system does it, and its answer is lost. */
async function lostTrigger({ run, sandboxes }: ConsoleWorld): Promise<string> {
  const endpoint = "/rest/v1/campaigns/1/trigger.json";
  await sandboxes.marketing.control("faults", { match: { method: "POST", path: endpoint }, times: 1, drop: "after" });
  const { body } = await run("marketing_api_call", {
    method: "POST",
    endpoint,
    body: { input: { leads: [{ id: 1 }] } },
  });
  expect(body.status).toBe("outcome_unknown");
  return body.run_id;
}
