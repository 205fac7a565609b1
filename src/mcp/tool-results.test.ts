import { ElicitRequestSchema } from "mcp-sdk-1.32/types.js";
import { describe, expect, test } from "vitest";
import { startApp } from "../../test/support/app.ts";
import { type Platform, startPlatform } from "../../test/support/platform.ts";
import { mcpAddress, mcpHeaders, modernClient, olderClient, publish } from "../../test/support/runs/mcp-clients.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";
import { steps as knownSteps } from "../systems/index.ts";

/** Both generations check each result against the schema of its tool, once they have listed the tools. */
async function bothClients(platform: Platform) {
  const at = await mcpAddress(platform);
  return { modern: await modernClient(platform, at), older: await olderClient(platform, at) };
}

const noParams = { params_schema: { type: "object", properties: {} } };
const createStep = ({ connections }: Platform) => ({
  name: "again",
  step: "create_deployment",
  connection_id: connections.deployment,
  input: { project: "web", branch: "main" },
});

describe("what an assistant gets from a tool", () => {
  test('"input and output schema, read-only, destructive and idempotent hints": a tool has those of its steps', async () => {
    const platform = await startPlatform();
    const object = { count: "{{ $count(steps.latest.output.deployments) }}", fixed: "yes" };
    await publish(platform, { title: "Last step" });
    await publish(platform, { title: "Object", output: object });
    await publish(platform, { title: "Number", output: object.count });
    await publish(platform, { title: "Text", output: "{{params.limit}} deployments" });
    const skipped = { ...createStep(platform), if: "{{ false }}" };
    await publish(platform, { ...noParams, title: "Skipped write", steps: [skipped] });
    const { modern, older } = await bothClients(platform);

    const { tools } = await modern.listTools();
    const schemas = Object.fromEntries(tools.map(({ name, outputSchema }) => [name, outputSchema]));
    expect(schemas.last_step).toEqual(schemas.list_deployments);
    expect(schemas.object).toMatchObject({ properties: { count: {}, fixed: { type: "string" } } });
    expect(schemas.text).toMatchObject({ anyOf: [{ type: "string" }, {}] });
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    const writes = { readOnlyHint: false, idempotentHint: false };
    expect(hints.create_deployment).toMatchObject({ ...writes, destructiveHint: false });
    expect(hints.cancel_deployment).toMatchObject({ ...writes, destructiveHint: true });
    expect(hints.skipped_write).toMatchObject({ ...writes, destructiveHint: false });
    expect(hints.last_step).toMatchObject({ readOnlyHint: true, idempotentHint: true });

    await older.listTools();
    for (const [name, output, wrapped] of [
      ["last_step", { deployments: [{}] }, null],
      ["object", { count: 1, fixed: "yes" }, null],
      ["number", 1, { result: 1 }],
      ["text", "1 deployments", { result: "1 deployments" }],
      ["skipped_write", null, { result: null }],
    ] as const) {
      const given = name === "skipped_write" ? {} : { limit: 1 };
      const { structuredContent } = await modern.callTool({ name, arguments: given });
      if (typeof output === "object" && output !== null) expect(structuredContent).toMatchObject(output);
      else expect([name, structuredContent]).toEqual([name, output]);
      expect((await older.callTool({ name, arguments: given })).structuredContent).toMatchObject(
        wrapped ?? output ?? {},
      );
    }
  });

  test('"results are bounded with a link to the rest", lists have pages, and reports are resources', async () => {
    const platform = await startPlatform();
    const text = { type: "object", properties: { text: { type: "string" } } };
    const copy = "{{params.text}}";
    await publish(platform, { title: "Long", params_schema: text, output: [copy, copy] });
    for (let number = 0; number < 9; number++) {
      const steps = [{ name: "rest", step: "wait", input: { seconds: 1 } }];
      await publish(platform, { ...noParams, title: `Page ${number}`, steps, output: "x".repeat(125_000) });
    }
    const { modern } = await bothClients(platform);
    const long = await modern.callTool({ name: "long", arguments: { text: "y".repeat(20_000) } });
    const link = { type: "resource_link", uri: `signalbox://runs/${long._meta?.["signalbox/run_id"]}` };
    expect(long.structuredContent).toEqual(["y".repeat(20_000), "y".repeat(20_000)]);
    expect(long.content).toMatchObject([{ type: "text", text: expect.stringMatching(/^.{32768}…$/) }, link]);
    const longer = await modern.callTool({ name: "long", arguments: { text: "y".repeat(150_000) } });
    expect(longer).toMatchObject({ isError: true, structuredContent: { code: "output_too_large" } });
    expect(longer.content.at(-1)).toMatchObject({ type: "resource_link" });
    const whole = await modern.readResource({ uri: `${(longer.content.at(-1) as { uri: string }).uri}/output` });
    expect((whole.contents[0] as { text: string }).text.length).toBeGreaterThan(300_000);

    const first = await modern.request({ method: "tools/list", params: {} });
    expect(first.tools.length).toBeLessThan(knownSteps.length + 10);
    const second = await modern.request({ method: "tools/list", params: { cursor: first.nextCursor as string } });
    expect(second.nextCursor).toBeUndefined();
    const names = [...first.tools, ...second.tools].map(({ name }) => name);
    expect(names.slice(knownSteps.length)).toEqual([
      "long",
      ...Array.from({ length: 9 }, (_, number) => `page_${number}`),
    ]);

    const range = { start_date: "7daysAgo", end_date: "yesterday" };
    const report = { property_id: "1000", metrics: ["sessions"], date_range: range };
    const { _meta, structuredContent } = await modern.callTool({ name: "run_reports", arguments: report });
    const uri = `signalbox://runs/${_meta?.["signalbox/run_id"]}/output`;
    const { resources } = await modern.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri, title: "Report" }));
    const { contents } = await modern.readResource({ uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual({ output: structuredContent });
  });
});

describe("approvals of older clients", () => {
  test("the person is asked during the call, in the revisions 2025-06-18 and 2025-11-25", async () => {
    const platform = await startPlatform();
    const ask = { name: "ask", step: "approve", input: { message: "May I?" } };
    const onceMore = { name: "once_more", step: "approve", input: { message: "Really?" } };
    await publish(platform, { ...noParams, title: "Ask", steps: [ask, onceMore, createStep(platform)] });
    const at = await mcpAddress(platform);
    const yes = { action: "accept", content: { approved: true } };
    for (const [revision, capabilities, answers] of [
      ["2025-06-18", { elicitation: {} }, [yes, yes]],
      ["2025-11-25", { elicitation: { form: {} } }, [yes, yes, { action: "decline" }, { action: "cancel" }]],
    ] as const) {
      const client = await olderClient(platform, at, { capabilities, revision });
      const asked: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message.split("\n")[0] ?? "");
        return answers[asked.length - 1] as never;
      });
      const call = () => client.callTool({ name: "ask", arguments: {} });
      expect((await call()).structuredContent).toMatchObject({ environment: "preview" });
      expect(asked).toEqual(["May I?", "Really?"]);
      if (answers.length === 2) continue;
      expect(await call()).toMatchObject({ isError: true });
      expect((await call()).structuredContent).toMatchObject({ unfinished_run: { status: "waiting" } });
      expect(asked).toHaveLength(4);
    }
  });

  test("an answer approves a run of the tool that it names, and no other", async () => {
    const platform = await startPlatform();
    const ask = { name: "ask", step: "approve", input: { message: "May I?" } };
    const toolId = await publish(platform, { ...noParams, title: "Ask", steps: [ask] });
    await publish(platform, { ...noParams, title: "Other", steps: [ask] });
    const { body: run } = await platform.call(`tools/${toolId}/trigger_async`, {});
    const statusOf = async () => (await platform.call(`runs/${run.run_id}/get`)).body.status;
    await expect.poll(statusOf, { timeout: 20_000 }).toBe("waiting");
    const answer = async (name: string, step: string) => {
      const headers = { ...mcpHeaders(platform), accept: "application/json, text/event-stream" };
      const result = { action: "accept", content: { approved: true } };
      const payload = { jsonrpc: "2.0", id: `approve/${name}/${run.run_id}/${step}`, result };
      return (await platform.app.app.inject({ method: "POST", url: "/mcp", headers, payload })).statusCode;
    };
    expect(await answer("other", "ask")).toBe(202);
    expect(await answer("ask", "another_step")).toBe(202);
    expect(await statusOf()).toBe("waiting");
    expect(await answer("ask", "ask")).toBe(202);
    await expect.poll(statusOf, { timeout: 20_000 }).toBe("succeeded");
  });
});

describe('"Role, policy, limits … hold as everywhere"', () => {
  test("a call that the account's policy forbids, or that has no share of its limit left, sends nothing", async () => {
    const platform = await startPlatform();
    const { deployment, marketing } = platform.connections;
    const { modern } = await bothClients(platform);
    const write = { name: "create_deployment", arguments: { project: "web", branch: "main" } };
    await platform.call(`connections/${deployment}/update`, {
      policy: { rules: [{ effect: "allow", methods: ["GET"] }] },
    });
    expect(await modern.callTool(write)).toMatchObject({ isError: true, structuredContent: { code: "policy_denied" } });
    await platform.call(`connections/${marketing}/update`, { settings: { daily_quota: 1 } });
    const read = { name: "marketing_api_call", arguments: { method: "GET", endpoint: "/rest/v1/lists.json" } };
    await modern.callTool(read);
    expect(await modern.callTool(read)).toMatchObject({
      isError: true,
      structuredContent: { code: "quota_exhausted" },
    });
  });

  test("a key that has used up its requests is refused with the time to wait", async () => {
    const app = await startApp("sqlite", {
      rateLimits: { ...defaultPolicies, default: { quota: 2, windowSeconds: 60 } },
    });
    const owner = await app.person("owner@example.com");
    const projectId = await app.project(owner);
    const list = () =>
      app.app.inject({
        method: "POST",
        url: "/mcp",
        headers: { ...mcpHeaders({ owner, projectId }), accept: "application/json, text/event-stream" },
        payload: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
    expect((await list()).statusCode).toBe(200);
    const refused = await list();
    expect([refused.statusCode, Number(refused.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
  });
});
