import { describe, expect, test } from "vitest";
import { type Platform, startPlatform } from "../../test/support/platform.ts";
import {
  clientInfo,
  exampleTool,
  mcpAddress,
  mcpHeaders,
  modernClient,
  olderClient,
  publish,
} from "../../test/support/runs/mcp-clients.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

const stepIds = async ({ call }: Platform): Promise<string[]> =>
  (await call("steps/list")).body.results.map(({ step_id }: { step_id: string }) => step_id);

describeOnBothStores("the tools of a project", (kind) => {
  test('"tools/list: the nine steps under their ids …, then published tools under a name …, unique in the project and stable"', async () => {
    const platform = await startPlatform(kind);
    const first = await publish(platform, {});
    await publish(platform, {});
    await publish(platform, { title: "列表" });
    const at = await mcpAddress(platform);
    const names = ["deployer_la_branche", "deployer_la_branche_2", "tool"];
    for (const client of [await modernClient(platform, at), await olderClient(platform, at)]) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...(await stepIds(platform)), ...names]);
      const step = tools.find(({ name }) => name === "list_deployments");
      expect(step).toMatchObject({
        inputSchema: { type: "object", properties: { connection_id: { type: "string" } } },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      });
      expect(step?.inputSchema.required ?? []).not.toContain("connection_id");
      expect(tools.find(({ name }) => name === names[0])).toMatchObject({
        title: exampleTool.title,
        inputSchema: exampleTool.params_schema,
        annotations: { readOnlyHint: true },
      });
    }
    await platform.call(`tools/${first}/update`, { title: "Another title" });
    await platform.call(`tools/${first}/publish`);
    const { tools } = await (await modernClient(platform, at)).listTools();
    expect(tools.find(({ title }) => title === "Another title")?.name).toBe(names[0]);
  });
});

describe("MCP", () => {
  test("\"structuredContent is the step's or tool's output; a run that failed is isError with the problem\"", async () => {
    const platform = await startPlatform();
    await publish(platform, {});
    const at = await mcpAddress(platform);
    for (const client of [await modernClient(platform, at), await olderClient(platform, at)]) {
      const step = await client.callTool({ name: "list_deployments", arguments: { limit: 2 } });
      const runId = step._meta?.["signalbox/run_id"] as string;
      const { body: run } = await platform.call(`runs/${runId}/get`);
      expect(step.isError ?? false).toBe(false);
      expect(step.structuredContent).toMatchObject({ deployments: [{}, {}] });
      expect(run.step_id).toBe("list_deployments");

      const tool = await client.callTool({ name: "deployer_la_branche", arguments: { limit: 1 } });
      expect(tool.structuredContent).toMatchObject({ deployments: [{}] });

      const failed = await client.callTool({
        name: "deployment_api_call",
        arguments: { method: "GET", path: "/v13/deployments/dpl_none" },
      });
      expect(failed).toMatchObject({ isError: true, structuredContent: { code: "not_found_there" } });
      const wrong = await client.callTool({ name: "list_deployments", arguments: { limit: "many" } });
      expect(wrong).toMatchObject({
        isError: true,
        structuredContent: { code: "malformed_request", errors: [{ pointer: "#/input/limit" }] },
      });
      const resource = await client.readResource({ uri: `signalbox://runs/${runId}` });
      expect(JSON.parse((resource.contents[0] as { text: string }).text)).toMatchObject({ run_id: runId });
    }
  });

  test("a write is made once for one idempotency key, and its audit row says that an assistant made it", async () => {
    const platform = await startPlatform();
    const client = await modernClient(platform, await mcpAddress(platform));
    const write = () =>
      client.callTool({
        name: "create_deployment",
        arguments: { connection_id: platform.connections.deployment, project: "web", branch: "main" },
        _meta: { "signalbox/idempotency-key": "once" },
      });
    const [one, two] = [await write(), await write()];
    expect(two._meta?.["signalbox/run_id"]).toBe(one._meta?.["signalbox/run_id"]);
    expect(two.structuredContent).toEqual(one.structuredContent);
    const { body } = await platform.call("audit/list", { action: "step.run" });
    expect(body.results).toMatchObject([{ actor: "mcp", user_id: platform.owner.userId }]);
  });

  test("where the project has several accounts of a system, the call names one", async () => {
    const platform = await startPlatform();
    const { token, team_id } = platform.sandboxes.deployment.credentials;
    const second = { system: "deployment", instance: "sandbox", label: "Second", credentials: { token, team_id } };
    await platform.call("connections/connect", second);
    const client = await modernClient(platform, await mcpAddress(platform));
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "list_deployments")?.inputSchema.required).toContain("connection_id");
    const unnamed = await client.callTool({ name: "list_deployments", arguments: {} });
    expect(unnamed).toMatchObject({ isError: true, structuredContent: { errors: [{ pointer: "#/connection_id" }] } });
  });

  test("an approval is asked of the person at the assistant", async () => {
    const platform = await startPlatform();
    const { deployment } = platform.connections;
    await publish(platform, {
      title: "Ask first",
      params_schema: { type: "object", properties: {} },
      steps: [
        { name: "ask", step: "approve", input: { message: "May I?" } },
        { name: "latest", step: "list_deployments", connection_id: deployment, input: { limit: 1 } },
      ],
    });
    const at = await mcpAddress(platform);
    const asked: string[] = [];
    const client = await modernClient(platform, at, { elicitation: { form: {} } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { approved: asked.length === 1 } };
    });
    const call = () => client.callTool({ name: "ask_first", arguments: {} });
    expect(await call()).toMatchObject({ structuredContent: { deployments: [{}] } });
    expect(await call()).toMatchObject({ isError: true });
    expect(asked).toEqual([expect.stringContaining("May I?"), expect.stringContaining("May I?")]);
    const unable = await (await olderClient(platform, at)).callTool({ name: "ask_first", arguments: {} });
    expect(unable.isError ?? false).toBe(false);
    expect(unable.structuredContent).toMatchObject({
      unfinished_run: { status: "waiting", waiting_for: { kind: "approval" } },
    });
    expect(JSON.stringify(unable.content)).toContain("signalbox://runs/");
  });

  test('"long runs report progress and can be cancelled": who gives up a call cancels its run, and no other', async () => {
    const platform = await startPlatform();
    const steps = [{ name: "rest", step: "wait", input: { seconds: 3600 } }];
    await publish(platform, { title: "Rest", params_schema: { type: "object", properties: {} }, steps });
    const at = await mcpAddress(platform);
    const statuses = async (): Promise<string[]> =>
      (await platform.call("runs/list")).body.results.map(({ status }: { status: string }) => status);
    const waits = { progress: 0, total: 1, message: "Waits for a time." };
    const older = await olderClient(platform, at);
    const bystander = await olderClient(platform, at);
    // Both call with the same request id, in sessions of their own.
    const waiting = bystander.callTool({ name: "rest", arguments: {} }).catch(() => null);
    const oldCall = new AbortController();
    const oldProgress: unknown[] = [];
    const old = older.callTool({ name: "rest", arguments: {} }, undefined, {
      signal: oldCall.signal,
      onprogress: (each) => void oldProgress.push(each),
    });
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["waiting", "waiting"]);
    await expect.poll(() => oldProgress, { timeout: 20_000 }).toContainEqual(waits);
    oldCall.abort();
    await expect(old).rejects.toThrow();
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(expect.arrayContaining(["waiting", "cancelled"]));

    const newCall = new AbortController();
    const modern = await modernClient(platform, at);
    const progress: unknown[] = [];
    const onprogress = (each: object) => void progress.push(each);
    const now = modern.callTool({ name: "rest", arguments: {} }, { signal: newCall.signal, onprogress });
    await expect.poll(statuses, { timeout: 20_000 }).toHaveLength(3);
    await expect.poll(() => progress, { timeout: 20_000 }).toContainEqual(waits);
    newCall.abort();
    await expect(now).rejects.toThrow();
    await expect
      .poll(async () => (await statuses()).sort(), { timeout: 20_000 })
      .toEqual(["cancelled", "cancelled", "waiting"]);
    await bystander.close();
    await waiting;
  });

  test("a plain call, which skips the protocol's library, has the result that the library gives", async () => {
    const platform = await startPlatform();
    await publish(platform, { output: "{{ $count(steps.latest.output.deployments) }}" });
    const at = await mcpAddress(platform);
    for (const revision of ["2025-06-18", "2026-07-28"]) {
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const send = async (name: string, input: object, more: object) => {
        const response = await fetch(at, {
          method: "POST",
          headers: {
            ...mcpHeaders(platform),
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": revision,
            ...(revision === "2026-07-28" && { "mcp-method": "tools/call", "mcp-name": name }),
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 7,
            method: "tools/call",
            params: { name, arguments: input, ...(revision === "2026-07-28" && { _meta: envelope }), ...more },
          }),
        });
        const text = (await response.text()).replaceAll(/run_us_\w+/g, "run_us_x");
        return JSON.parse(text.startsWith("event:") ? (text.split("data: ")[1] ?? "") : text);
      };
      for (const [name, input] of [
        ["list_deployments", { limit: 1 }],
        ["list_deployments", { limit: "many" }],
        ["deployer_la_branche", { limit: 1 }],
        ["deployment_api_call", { method: "GET", path: "/v13/deployments/dpl_none" }],
        ["no_such_tool", {}],
      ] as const) {
        // An unknown member is reason enough to leave a call to the library.
        expect(await send(name, input, {}), `${revision} ${name}`).toEqual(await send(name, input, { unknown: true }));
      }
    }
  });

  test("without a valid key, with another site's origin, or without a project nothing is served", async () => {
    const platform = await startPlatform();
    const at = await mcpAddress(platform);
    const post = (headers: Record<string, string>) =>
      fetch(at, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    const anonymous = await post({});
    expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("/.well-known/oauth-protected-resource"),
    ]);
    expect((await post({ authorization: `Bearer ${platform.owner.apiKey}` })).status).toBe(400);
    expect((await post({ ...mcpHeaders(platform), origin: "https://evil.example" })).status).toBe(403);
    const stranger = await platform.app.person("stranger@example.com");
    const elsewhere = { authorization: `Bearer ${platform.projectId}:${stranger.apiKey}` };
    expect((await post(elsewhere)).status).toBe(404);
  });

  // "Nothing that a caller chooses may take more than 50 ms of the event loop": the library takes 280 ms for this.
  test("a message of very many or very deep values is refused before the library reads it", async () => {
    const platform = await startPlatform();
    const at = await mcpAddress(platform);
    const post = async (json: string) => {
      const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
      const params = `{"name":"list_deployments","arguments":{"limit":${json}}}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      return fetch(at, { method: "POST", headers: { ...headers, ...mcpHeaders(platform) }, body });
    };
    for (const json of [`${"[".repeat(200_000)}${"]".repeat(200_000)}`, `[${"{},".repeat(100_000)}1]`]) {
      const refused = await post(json);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, "malformed_request"]);
    }
    expect((await post("1")).status).toBe(200);
  });
});
