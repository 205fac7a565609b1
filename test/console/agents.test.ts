import { expect, test } from "vitest";
import { queuedMax } from "../../src/agents/events/store-event.ts";
import type { Db } from "../../src/store/db.ts";
import { describeInBrowser } from "../support/browser/browser.ts";
import { startConsole } from "../support/browser/console.ts";
import { newTool, sendEvent } from "../support/runs/agents.ts";
import { startOpenAiModel } from "../support/runs/models.ts";

describeInBrowser("agents in the console", () => {
  test("an agent is made with a step, an account and a rule; its secret is shown once; events show their signature and what they started", async () => {
    const world = await startConsole({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, open, call, app, owner, projectId, connections } = world;
    const toolId = await newTool({ call: app.call, owner, inProject: () => ({ as: owner, project: projectId }) });
    await open("agents");
    await page.getByRole("button", { name: "Create an agent" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill("Release watch");
    await page.getByLabel("Instructions").fill("Look after the releases.");
    await page.getByLabel("Search steps").fill("deployment list");
    await page.getByRole("option", { name: /^List Deployments/ }).click();
    await page.getByRole("radio", { name: "Before every call" }).check();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("combobox", { name: "Start this tool" }).fill("Take");
    await page.getByRole("option", { name: "Take note" }).click();
    await page.getByLabel("With these params").fill('{ "id": "{{event.payload.deployment.id}}" }');
    await page.getByRole("button", { name: "Create the agent" }).click();
    const secret = (await page.locator("code.secret").textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByRole("heading", { level: 1, name: "Release watch" }).waitFor();
    const [agent] = (await call("agents/list")).body.results;
    expect(agent).toMatchObject({
      instructions: "Look after the releases.",
      steps: [{ step: "list_deployments", connection_id: connections.deployment }],
      approval: "always",
      rules: [{ on: "deployment.failed", tool_id: toolId, params: { id: "{{event.payload.deployment.id}}" } }],
    });
    await page.getByRole("tab", { name: "Events" }).click();
    const url = await page.getByLabel("Webhook address").inputValue();
    expect((await sendEvent(app, { url, secret: "whsec_of_another" }, { type: "deployment.failed" })).status).toBe(401);
    expect((await sendEvent(app, { url, secret }, { type: "signed.by.us", createdAt: 1 })).status).toBe(202);
    await page.getByRole("button", { name: "Send a test event" }).click();
    const dialog = page.getByRole("dialog", { name: "Send a test event" });
    await dialog.getByRole("button", { name: "Send it" }).click();
    await dialog.getByText("It started one run.").waitFor();
    // "Its remedy with a button where one helps (reconnect, resume, ask an admin)": a paused agent with a full queue.
    await call(`agents/${agent.agent_id}/pause`);
    await fillQueue(app.store);
    await dialog.getByRole("button", { name: "Send it" }).click();
    const resume = dialog.getByRole("alert").getByRole("button", { name: "Resume the agent" });
    await resume.waitFor();
    await app.store.transaction((db) => db.query("delete from events where repeat_key like 'copy %'"));
    await resume.click();
    await resume.waitFor({ state: "detached" });
    expect((await call(`agents/${agent.agent_id}/get`)).body.paused).toBe(false);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(0).textContent()).toMatch(/deployment\.failed.*Valid.*Started/);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/signed\.by\.us.*Old timestamp.*Started/);
    await page.getByText("Requests without a valid signature were refused").waitFor();
    await page.getByText("The last refused request").click();
    const refused = page.getByRole("list", { name: "Refused requests" }).getByRole("listitem");
    await expect.poll(() => refused.allTextContents()).toEqual([expect.stringMatching(/^Wrong signature/)]);
    await page.getByRole("button", { name: "Copy the address" }).click();
    await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()")).toBe(url);
    await page.getByRole("button", { name: "Rotate the secret" }).click();
    const rotate = page.getByRole("dialog", { name: "Rotate the secret" });
    await rotate.getByRole("combobox", { name: "The old secret is accepted" }).click();
    await page.getByRole("option", { name: "Not any more" }).click();
    await rotate.getByRole("button", { name: "Make a new secret" }).click();
    const fresh = (await rotate.locator("code.secret").textContent()) ?? "";
    await rotate.getByRole("button", { name: "I have copied it" }).click();
    expect(fresh).toMatch(/^whsec_/);
    expect((await sendEvent(app, { url, secret }, { type: "deployment.ready" })).status).toBe(401);
    expect((await sendEvent(app, { url, secret: fresh }, { type: "deployment.ready" })).status).toBe(202);
    await rows.filter({ hasText: "deployment.failed" }).getByRole("link").click();
    await page.waitForURL(/\/runs\/run_us_/);
    const runId = page.url().split("/").at(-1);
    expect((await call(`runs/${runId}/get`)).body).toMatchObject({ tool_id: toolId, params: { id: "dpl_test" } });
  });

  test("a conversation shows each call with its input, output and state; a write is approved in place, and then sent once", async () => {
    const model = await startOpenAiModel();
    const world = await startConsole({}, { models: model.settings, privateOrigins: [model.origin] });
    const { page, open, call, app, owner, projectId, connections, sandboxes } = world;
    const toolId = await newTool({ call: app.call, owner, inProject: () => ({ as: owner, project: projectId }) });
    const steps = ["list_deployments", "create_deployment"].map((step) => ({
      step,
      connection_id: connections.deployment,
    }));
    const { agent_id: id } = (await call("agents/create", { name: "Release watch", steps })).body;
    model.say(
      { text: "I look first.", calls: [{ name: "list_deployments", input: { limit: 1 } }] },
      { calls: [{ name: "create_deployment", input: { project: "web", branch: "main" } }] },
      { text: "Deployed main of web." },
    );
    const sent = async () =>
      (await sandboxes.deployment.requests("/v13/deployments")).filter(({ method }) => method === "POST").length;
    await open(`agents/${id}`);
    await page.getByLabel("Ask it something").fill("Deploy main again.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "Approval needed" }).waitFor();
    expect(await sent()).toBe(0);
    const calls = page.locator("details.call");
    await calls.nth(0).getByText("Succeeded").waitFor();
    await calls.nth(0).locator("summary").click();
    expect(await calls.nth(0).getByLabel("Input of List Deployments").textContent()).toContain('"limit": 1');
    expect(await calls.nth(0).getByLabel("Output of List Deployments").textContent()).toContain('"deployment_id"');
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve and send" }).click();
    await page.getByRole("article").getByText("Deployed main of web.").waitFor();
    expect(await sent()).toBe(1);
    const address = page.url();
    await page.goto(address);
    await page.getByRole("article").getByText("I look first.").waitFor();
    expect(await calls.nth(1).textContent()).toContain("Create Deployment");
    await page.getByLabel("Go on").fill("Thank you.");
    model.say({ text: "You are welcome." });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("You are welcome.").waitFor();
    const [conversation] = (await call(`agents/${id}/conversations/list`)).body.results;
    expect(conversation).toMatchObject({ runs: 2, title: "Deploy main again." });
    await page.getByRole("tab", { name: "Set-up" }).click();
    await page.getByRole("textbox", { name: "Model" }).fill("anthropic:claude");
    await page.getByText("The operator of this server has set up no access to anthropic.").waitFor();
    await page.getByRole("textbox", { name: "Model" }).fill("openai:other-model");
    for (const [cap, value] of [
      ["Turns", "7"],
      ["Tokens", "20000"],
      ["Minutes", "5"],
    ] as const)
      await page.getByRole("textbox", { name: cap }).fill(value);
    await page.getByRole("combobox", { name: "Tools" }).fill("Take");
    await page.getByRole("option", { name: "Take note" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Save the agent" }).click();
    await page.getByText("Saved. It handles events").waitFor();
    expect((await call(`agents/${id}/get`)).body).toMatchObject({
      model: "openai:other-model",
      tools: [toolId],
      max_turns: 7,
      max_tokens: 20_000,
      max_minutes: 5,
    });
  });
});

/** As many events in the agent's queue as it takes, as copies of one that came. */
const fillQueue = (store: Db) =>
  store.transaction(async (db) => {
    const [event] = await db.query<Record<string, string | null>>("select * from events limit 1");
    const columns = Object.keys(event ?? {});
    const others = columns.filter((name) => !["id", "repeat_key", "status"].includes(name)).join(", ");
    await db.query(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < $1)
       insert into events (id, repeat_key, status, ${others})
       select 'copy ' || n, 'copy ' || n, 'queued', ${others} from numbers, (select * from events limit 1)`,
      [queuedMax],
    );
  });
