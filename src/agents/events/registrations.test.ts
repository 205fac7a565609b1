import { expect, test } from "vitest";
import { startPopUp } from "../../../test/support/browser/pop-up.ts";
import { serve } from "../../../test/support/processes/local-servers.ts";
import { newAgent, newTool, platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { sandboxUrls, startSandbox, type TestSandbox } from "../../../test/support/systems/vault.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";

const change = (team: Team, operation: string, body: object = {}) =>
  team.call(operation, body, team.inProject(team.owner));

/** A team whose deployment account is the sandbox's, and whose addresses the sandbox can reach. */
async function startWorld(
  kind: StoreKind,
  between: (sandbox: TestSandbox) => Promise<string> = async ({ url }) => url,
) {
  const sandbox = await startSandbox("deployment");
  const sandboxes = sandboxUrls({ deployment: await between(sandbox) });
  const team = await startTeam(kind, { sandboxes });
  const received: { status: number; text: string }[] = [];
  team.context.rooms.events.baseUrl = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = {
      "content-type": String(request.headers["content-type"]),
      "x-vercel-signature": String(request.headers["x-vercel-signature"]),
    };
    const payload = Buffer.concat(chunks);
    const answer = await team.app.inject({ method: "POST", url: request.url ?? "", headers, payload });
    received.push({ status: answer.statusCode, text: answer.body });
    response.writeHead(answer.statusCode).end(answer.body);
  });
  const { token, team_id } = sandbox.credentials;
  const credentials = { token, team_id };
  const wish = { system: "deployment", instance: "sandbox", credentials };
  const { connection_id: connectionId } = (await change(team, "connections/connect", wish)).body;
  return { team, sandbox, connectionId, received };
}

async function webhooksAt({ url, credentials }: TestSandbox): Promise<{ id: string; url: string; events: string[] }[]> {
  const response = await fetch(`${url}/v1/webhooks?teamId=${credentials.team_id}`, {
    headers: { authorization: `Bearer ${credentials.token}` },
  });
  return (await response.json()) as { id: string; url: string; events: string[] }[];
}

const deploy = ({ url, credentials, ids }: TestSandbox) =>
  fetch(`${url}/v13/deployments?teamId=${credentials.team_id}&forceNew=1`, {
    method: "POST",
    headers: { authorization: `Bearer ${credentials.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "web", project: ids.project_id, files: [{ file: "a.txt", data: "a" }] }),
  });

describeOnBothStores("a webhook at the deployment platform", (kind) => {
  test("is created with one call, its events are accepted, and it can be removed", async () => {
    const { team, sandbox, connectionId, received } = await startWorld(kind);
    const tool_id = await newTool(team);
    const { id } = await newAgent(team, { rules: [{ on: "deployment.started", tool_id }] });
    const registered = await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    expect(registered.body).toEqual({
      agent_id: id,
      connection_id: connectionId,
      system_webhook_id: expect.any(String),
      events: ["deployment.created"],
    });
    const { webhook_url: url, registrations } = (await change(team, `agents/${id}/webhook`)).body;
    expect(registrations).toMatchObject([{ connection_id: connectionId, events: ["deployment.created"] }]);
    expect(await webhooksAt(sandbox)).toMatchObject([{ url, events: ["deployment.created"] }]);

    expect((await deploy(sandbox)).status).toBe(200);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.status).toBe(202);
    const { run_id: runId } = JSON.parse(received[0]?.text ?? "{}");
    expect((await change(team, `runs/${runId}/get`)).body.params).toMatchObject({
      on: "deployment.started",
      system_type: "deployment.created",
    });

    const removed = await change(team, `agents/${id}/unregister_webhook`, { connection_id: connectionId });
    expect(removed.body).toMatchObject({ system_webhook_id: registered.body.system_webhook_id });
    expect(removed.body).not.toHaveProperty("problem");
    expect(await webhooksAt(sandbox)).toEqual([]);
    expect((await change(team, `agents/${id}/webhook`)).body.registrations).toEqual([]);
    expect(await team.lastAudit()).toMatchObject({ action: "agent.webhook_unregistered", target: id });
  });

  test("exists once, however often it is requested, and is removed with its agent", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    for (const events of [["deployment.failed", "project.created"], undefined]) {
      await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId, events });
    }
    expect(await webhooksAt(sandbox)).toMatchObject([
      { events: ["deployment.created", "deployment.succeeded", "deployment.error"] },
    ]);
    expect((await change(team, `agents/${id}/delete`)).body.left_at_system).toEqual([]);
    expect(await webhooksAt(sandbox)).toEqual([]);
  });

  // "Removing a connection or an agent removes its webhook there."
  test("is removed with the connection that it was made through", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    expect((await change(team, `connections/${connectionId}/remove`)).body).not.toHaveProperty("left_at_system");
    expect(await webhooksAt(sandbox)).toEqual([]);
    expect((await change(team, `agents/${id}/webhook`)).body.registrations).toEqual([]);
  });

  // "Registration checks first that our own address is public https, says in words what to do otherwise."
  test("is not asked for at the live platform if our own address cannot be reached from there", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    const before = (await sandbox.requests()).length;
    const live = "update connections set instance = 'live', revision = revision + 1";
    await team.store.transaction((db) => db.query(live));
    const refused = await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    expect([refused.status, refused.body.code]).toEqual([409, "address_not_public"]);
    expect(refused.body.remedy).toContain("webhook_secrets");
    expect((await sandbox.requests()).length).toBe(before);
  });

  // "Account webhooks need a Pro or Enterprise plan and may be refused to integration tokens."
  test("that the account may not have says how to make one by hand", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    const body = { error: { code: "forbidden", message: "You don't have permission to access this resource." } };
    await sandbox.control("faults", { match: { method: "POST", path: "/v1/webhooks" }, times: 1, status: 403, body });
    const { problem } = (await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId })).body;
    expect(problem).toMatchObject({
      code: "permission_denied",
      remedy: expect.stringMatching(/Pro or Enterprise.*by hand/),
    });
  });

  test("that the platform refuses is not stored, and the response says why", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    const { body } = await change(team, `agents/${id}/register_webhook`, {
      connection_id: connectionId,
      events: ["no.such.event"],
    });
    expect(body).toMatchObject({
      system_webhook_id: null,
      problem: { code: "invalid_there", remedy: expect.any(String) },
    });
    expect([await webhooksAt(sandbox), (await change(team, `agents/${id}/webhook`)).body.registrations]).toEqual([
      [],
      [],
    ]);
  });

  test("stays if a second request for it is refused", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    const first = await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    const again = { connection_id: connectionId, events: ["no.such.event"] };
    expect((await change(team, `agents/${id}/register_webhook`, again)).body.problem.code).toBe("invalid_there");
    expect(await webhooksAt(sandbox)).toMatchObject([{ id: first.body.system_webhook_id }]);
  });

  test("of another connection to the same account is replaced by the new one", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { token, team_id } = sandbox.credentials;
    const wish = { system: "deployment", instance: "sandbox", label: "other", credentials: { token, team_id } };
    const { connection_id: other } = (await change(team, "connections/connect", wish)).body;
    expect(other).not.toBe(connectionId);
    const { id } = await newAgent(team);
    for (const connection_id of [connectionId, other]) {
      await change(team, `agents/${id}/register_webhook`, { connection_id });
    }
    expect(await webhooksAt(sandbox)).toHaveLength(1);
    expect((await change(team, `agents/${id}/webhook`)).body.registrations).toMatchObject([{ connection_id: other }]);
  });

  test("that could not be removed is removed by a second call", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    await sandbox.control("faults", { match: { method: "DELETE" }, status: 400, body: {} });
    const unregister = () => change(team, `agents/${id}/unregister_webhook`, { connection_id: connectionId });
    expect((await unregister()).body).toHaveProperty("problem");
    expect(await webhooksAt(sandbox)).toHaveLength(1);
    expect((await unregister()).body).not.toHaveProperty("problem");
    expect(await webhooksAt(sandbox)).toEqual([]);
  });

  // The agent is deleted while the platform creates the webhook, and the platform does not remove it again.
  test("that was created for a deleted agent and cannot be removed is in the response and in the log", async () => {
    let onCreated: () => Promise<unknown> = async () => {};
    const { team, sandbox, connectionId } = await startWorld(kind, ({ url }) =>
      serve(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const { method = "GET", headers } = request;
        const answer = await fetch(`${url}${request.url}`, {
          method,
          headers: { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" },
          ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
        });
        if (method === "POST" && request.url?.startsWith("/v1/webhooks")) await onCreated();
        const type = answer.headers.get("content-type") ?? "application/json";
        response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
      }),
    );
    const { id } = await newAgent(team);
    onCreated = () => change(team, `agents/${id}/delete`);
    await sandbox.control("faults", { match: { method: "DELETE" }, status: 400, body: {} });
    const { status, body } = await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    const [left] = await webhooksAt(sandbox);
    expect([status, body.code, body.left_at_system]).toEqual([404, "agent_not_found", [left?.id]]);
    const warning = team.logged.find((line) => line.includes("a webhook at the platform could not be removed"));
    expect(warning).toContain(left?.id);
  });

  test("obeys the connection's policy", async () => {
    const { team, sandbox, connectionId } = await startWorld(kind);
    const { id } = await newAgent(team);
    const policy = { rules: [{ effect: "allow", methods: ["GET"] }] };
    expect((await change(team, `connections/${connectionId}/update`, { policy })).status).toBe(200);
    const { body } = await change(team, `agents/${id}/register_webhook`, { connection_id: connectionId });
    expect(body.problem?.code).toBe("policy_denied");
    expect(await webhooksAt(sandbox)).toEqual([]);
  });

  test("needs a connection of the project, to the deployment platform", async () => {
    const { team } = await startWorld(kind);
    const { id } = await newAgent(team);
    const { body } = await change(team, `agents/${id}/register_webhook`, { connection_id: "con_us_none" });
    expect(body.code).toBe("connection_not_found");
  });
});

describeOnBothStores("the news that the integration was uninstalled", (kind) => {
  // "A webhook of the vendor that says the integration was removed turns all of them to `needs_reconnect`."
  test("turns every account of the installation to needs_reconnect, once the platform confirms it", async () => {
    const { connect, consent, comeBack, status, team, sandbox } = await startPopUp(kind, "deployment");
    const accounts: string[] = [];
    for (let count = 0; count < 2; count++) {
      const begun = await connect();
      await comeBack(await consent(begun.connect_url));
      accounts.push((await status(begun.connect_id)).connection_id);
    }
    const stateOf = async (id = "") => (await change(team, `connections/${id}/get`)).body;
    const { installation_id: installation } = (await stateOf(accounts[0])).identity;
    const secret: string = sandbox.credentials.oauth.client_secret;
    const agent = { ...(await newAgent(team, { webhook_secrets: [secret] })), secret };
    const payload = { user: { id: sandbox.ids.user_id }, configuration: { id: installation, projects: [] } };
    const tell = () => sendEvent(team, agent, platformEvent("integration-configuration.removed", { payload }));
    expect((await tell()).status).toBe(202);
    // A forged event: the platform is asked, and knows the token.
    const asked = `/v1/integrations/configuration/${installation}`;
    await expect.poll(async () => (await sandbox.requests(asked)).length).toBeGreaterThanOrEqual(4);
    expect((await stateOf(accounts[0])).state).toBe("connected");
    const uninstall = new URLSearchParams({ action: "uninstall" });
    await fetch(`${sandbox.url}/dashboard/integrations/${installation}`, { method: "POST", body: uninstall });
    await tell();
    for (const id of accounts) await expect.poll(async () => (await stateOf(id)).state).toBe("needs_reconnect");
  });
});
