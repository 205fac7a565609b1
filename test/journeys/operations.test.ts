import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createLogs } from "../../src/kernel/log.ts";
import { startSignalbox } from "../../src/main.ts";
import { readFirstRun } from "../../src/start/first-run/first-run.ts";
import { readConfig } from "../../src/start/settings/config.ts";
import { freeServerPorts } from "../support/processes/free-ports.ts";
import { serve } from "../support/processes/local-servers.ts";
import { type Collector, type ReceivedSpan, startCollector } from "../support/processes/otlp-collector.ts";
import { findProgram } from "../support/runner/find-program.ts";
import { temporaryFolder } from "../support/stores.ts";

/** One server as an operator runs it, with a collector beside it: what it tells of itself. */

const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
const canary = "canary-in-a-query";

interface Told {
  atRest: string;
  inUse: string;
  collector: Collector;
  requests: { path: string; traceparent?: string }[];
  delivered: (string | undefined)[];
  secrets: string[];
  logged: string[];
}

const patience = { timeout: 30_000, interval: 50 };

let told: Told;
beforeAll(async () => {
  told = await tellAll();
}, 120_000);

async function tellAll(): Promise<Told> {
  const collector = await startCollector();
  const delivered: (string | undefined)[] = [];
  const receiver = await serve((request, response) => {
    delivered.push(request.headers.traceparent as string | undefined);
    response.writeHead(204).end();
  });
  const home = temporaryFolder();
  const port = await freeServerPorts();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_METRIC_EXPORT_INTERVAL: "3600000",
    SIGNALBOX_PRIVATE_HOSTS_WEBHOOKS: receiver,
  };
  const flags = { port: String(port), home, regions: "us,eu,au", firstRun: "on", sandboxes: "own" };
  const logged: string[] = [];
  const logs = createLogs("info", { write: (line) => void logged.push(line) });
  const server = await startSignalbox(readConfig(environment, flags), logs);
  try {
    const { regions, sandboxes } = readFirstRun(home);
    const { base_url: base, project_id: project, api_key: key, connections, email } = regions.us ?? fail();
    const metrics = async () => (await fetch(`${base}/metrics`)).text();
    // Above two seconds, a store counts as away, and its series are missing: under load, its first reads may take longer.
    const metricsOfAll = () =>
      vi.waitFor(async () => {
        const text = await metrics();
        for (const region of ["us", "eu", "au"]) expect(text).toContain(`signalbox_store_up{region="${region}"} 1`);
        return text;
      }, patience);
    const call = async (operation: string, body: unknown, trace = traceparent) => {
      const headers = {
        authorization: `Bearer ${project}:${key}`,
        "content-type": "application/json",
        traceparent: trace,
      };
      const answer = await fetch(`${base}/latest/${operation}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as Record<string, string>;
    };
    const atRest = await metricsOfAll();
    await call("steps/deployment_api_call/run", {
      connection_id: connections?.deployment,
      input: { method: "GET", path: "/v6/deployments", query: { app: canary } },
    });
    await call("projects/get", { project_id: "prj_us_unknown" });
    await call("webhooks/create", { url: `${receiver}/events`, events: ["run.succeeded"] });
    await startTool(call, connections?.deployment ?? "");
    await vi.waitFor(() => expect(delivered.length).toBeGreaterThan(0), patience);
    await vi.waitFor(async () => expect(await metrics()).toContain("signalbox_webhook_deliveries_total"), patience);
    await call("auth/invite/create", { email: "canary@example.com", permissions: viewer });
    await meetBadDays(call, connections ?? {}, sandboxes ?? {});
    const { webhook_url: address = "" } = await call("agents/create", { name: "Unsigned events" });
    await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    const inUse = await metricsOfAll();
    const listed = await fetch(`${sandboxes?.deployment}/_sandbox/requests`);
    const { requests } = (await listed.json()) as Pick<Told, "requests">;
    await server.stop();
    const secrets = [key, email, canary, "canary@example.com", "Bearer"].map(String);
    return { atRest, inUse, collector, requests, delivered, secrets, logged };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

type Ids = Record<string, string>;

/** A call that waits for a limit, a token that is refused and renewed, and an account that is lost. */
async function meetBadDays(call: CallServer, connections: Ids, sandboxes: Ids) {
  const fault = (system: string, path: string, failure: object) =>
    fetch(`${sandboxes[system]}/_sandbox/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ match: { path }, times: 1, ...failure }),
    });
  const { marketing, analytics } = connections;
  await call(`connections/${marketing}/update`, { settings: { concurrent_calls: 1 } });
  const lists = { connection_id: marketing, input: { method: "GET", endpoint: "/rest/v1/lists.json" } };
  await fault("marketing", "/rest/v1/lists.json", { delay_ms: 150 });
  await Promise.all([1, 2].map(() => call("steps/marketing_api_call/run", lists)));

  const path = "/v1beta/properties/1000:runReport";
  const range = { start_date: "7daysAgo", end_date: "yesterday" };
  const report = { connection_id: analytics, input: { property_id: "1000", metrics: ["sessions"], date_range: range } };
  await fault("analytics", path, { status: 401 });
  await call("steps/run_reports/run", report);
  await fault("analytics", path, { status: 401 });
  await fault("analytics", "/token", { status: 400, body: { error: "invalid_grant" } });
  await call("steps/run_reports/run", report);
}

const viewer = { items: { platformDefault: { actions: { "role:viewer": true } } } };

type CallServer = (operation: string, body: unknown) => Promise<Record<string, string>>;

async function startTool(call: CallServer, connectionId: string) {
  const step = { name: "latest", step: "list_deployments", connection_id: connectionId, input: { limit: 1 } };
  const tool = { title: "Latest", params_schema: { type: "object" }, steps: [step] };
  const { tool_id } = await call("tools/create", tool);
  return call(`tools/${tool_id}/trigger_async`, { params: {} });
}

const fail = (): never => {
  throw new Error("There is no first run.");
};

describe("/metrics", () => {
  test("is under 60 kB at rest with three regions, and every metric has a series", () => {
    // With the series of each region's store.
    expect(told.atRest.match(/^signalbox_runs\{region="\w+",status="queued"\}/gm)).toHaveLength(3);
    expect(told.atRest.length).toBeLessThan(60_000);
    for (const text of [told.atRest, told.inUse]) {
      const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
      for (const name of names) expect(text, name).toMatch(new RegExp(`^${name}(_bucket|_sum|_count)?[ {]`, "m"));
      expect(text).not.toMatch(/_count(\{[^}]*\})? 0$/m);
      expect(text).not.toContain("\n\n");
    }
  });

  test("is about the product: runs, steps, limits, tokens, webhooks, mails, the store and the event loop", () => {
    for (const line of [
      'signalbox_runs{region="us",status="queued"} 0',
      'signalbox_runs_oldest_queued_seconds{region="us"} 0',
      'signalbox_runs_ended_total{region="us",kind="tool",status="succeeded"} 1',
      'signalbox_runs_ended_total{region="us",kind="step",status="succeeded"} 4',
      'signalbox_steps_total{region="us",system="deployment",result="succeeded"} 2',
      'signalbox_step_seconds_count{region="us",system="deployment"} 2',
      'signalbox_webhook_deliveries_total{region="us",result="delivered"}',
      'signalbox_webhook_events_total{region="us",result="refused"} 1',
      'signalbox_mails_total{region="us",result="kept_in_file"} 1',
      'signalbox_store_seconds_count{region="us",work="transaction"}',
      'signalbox_store_up{region="us"} 1',
      'signalbox_limit_waiting{region="us"} 0',
      'signalbox_limit_wait_seconds_count{region="us",system="marketing"} 1',
      'signalbox_token_refreshes_total{region="us",system="analytics",result="refreshed"} ',
      'signalbox_token_refreshes_total{region="us",system="analytics",result="failed"} 1',
      'signalbox_connections_lost_total{region="us",system="analytics"} 1',
      "nodejs_eventloop_lag_p99_seconds",
    ]) {
      expect(told.inUse).toContain(line);
    }
  });

  test("holds no word that a tenant chose, and no id", () => {
    for (const word of [...told.secrets, "prj_us_", "org_us_", "con_us_"]) expect(told.inUse).not.toContain(word);
  });
});

describe("traces", () => {
  const named = (name: string): ReceivedSpan[] => told.collector.spans.filter((span) => span.name === name);
  const childOf = (parent: ReceivedSpan | undefined, name: string): ReceivedSpan | undefined =>
    told.collector.spans.find((span) => span.name === name && span.parentSpanId === parent?.spanId);

  test("a call with a traceparent continues it: call, step, request, and the header that the system receives", () => {
    const [call] = named("POST /latest/steps/{step_id}/run");
    expect(call).toMatchObject({ traceId: caller.traceId, parentSpanId: caller.spanId, kind: 2 });
    expect(call?.attributes).toMatchObject({ "http.response.status_code": 200, "signalbox.region": "us" });
    const step = childOf(call, "step deployment_api_call");
    expect(step?.attributes).toMatchObject({ "signalbox.system": "deployment" });
    const request = childOf(step, "GET");
    expect(request).toMatchObject({ traceId: caller.traceId, kind: 3 });
    expect(request?.attributes).toMatchObject({ "server.address": "127.0.0.1", "http.response.status_code": 200 });
    const received = told.requests.map((line) => line.traceparent);
    expect(received).toContain(`00-${caller.traceId}-${request?.spanId}-01`);
  });

  test("a run that a worker does later, and the webhook that reports it, belong to the call that started it", () => {
    const [call] = named("POST /latest/tools/{tool_id}/trigger_async");
    const run = childOf(call, "run tool");
    expect(run?.attributes).toMatchObject({ "signalbox.run_status": "succeeded" });
    expect(childOf(run, "step list_deployments")).toBeDefined();
    const delivery = childOf(run, "webhook delivery");
    const sent = childOf(delivery, "POST");
    expect(told.delivered).toContain(`00-${caller.traceId}-${sent?.spanId}-01`);
  });

  test("a refused call carries the problem's code, in its span and in its log line", () => {
    const refused = named("POST /latest/projects/get").at(-1);
    expect(refused?.attributes).toMatchObject({ "signalbox.problem": "project_not_found" });
    const line = told.logged.find((each) => each.includes('"operation":"projects/get"'));
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      status: 404,
      code: "project_not_found",
      trace_id: caller.traceId,
    });
  });

  test("metrics go to the collector too, and nothing that was sent holds a secret, a query or a person's address", () => {
    expect(told.collector.metrics).toContain("signalbox_steps_total");
    expect(told.collector.metrics).toContain("signalbox_store_seconds");
    for (const text of told.collector.texts) for (const secret of told.secrets) expect(text).not.toContain(secret);
  });
});

describe("what Prometheus and Grafana load", () => {
  const promtool = findProgram("promtool", "prometheus", "alert rules are not checked");
  const check = (args: string[], input?: string) => spawnSync(promtool, args, { encoding: "utf8", input });

  test.skipIf(promtool === "")("promtool accepts the page, the alert rules and their tests", () => {
    for (const [args, input] of [
      [["check", "metrics"], told.inUse],
      [["check", "rules", "deploy/prometheus/signalbox.rules.yml"]],
      [["test", "rules", "deploy/prometheus/signalbox.rules.test.yml"]],
    ] as const) {
      const { status, stdout, stderr } = check([...args], input);
      expect(stdout + stderr, args.join(" ")).not.toMatch(/error|FAILED/i);
      expect(status, `${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
    }
  });

  test.skipIf(promtool === "")("promtool accepts the scrape configuration, in deploy/ and in the documentation", () => {
    const [, shown = ""] = /```yaml\n(rule_files:[\s\S]*?)```/.exec(readFileSync("docs/production.md", "utf8")) ?? [];
    const folder = temporaryFolder();
    copyFileSync("deploy/prometheus/signalbox.rules.yml", join(folder, "signalbox.rules.yml"));
    writeFileSync(join(folder, "prometheus.yml"), shown);
    for (const file of ["deploy/prometheus/prometheus.yml", join(folder, "prometheus.yml")]) {
      const { status, stdout, stderr } = check(["check", "config", file]);
      expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/1 rule files found/)]);
    }
  });

  test.skipIf(promtool === "")("Prometheus can evaluate every query of the dashboard", () => {
    const { panels } = JSON.parse(readFileSync("deploy/grafana/signalbox.json", "utf8"));
    const queries: string[] = panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr));
    expect(queries.length).toBeGreaterThan(20);
    const rules = queries.map((expr, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$region", ".*"),
    }));
    const file = join(temporaryFolder(), "queries.yml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, stdout, stderr } = check(["check", "rules", file]);
    expect(status, stdout + stderr).toBe(0);
  });

  test("every alert rule has a test in which it fires", () => {
    const rules = readFileSync("deploy/prometheus/signalbox.rules.yml", "utf8");
    const tests = readFileSync("deploy/prometheus/signalbox.rules.test.yml", "utf8");
    const fires = [...tests.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n/g)].map(([, name]) => name);
    expect([...new Set(fires)].sort()).toEqual([...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name).sort());
  });

  // Metrics of things that this server has not met: a pause, an error that nobody caught.
  const rare = ["signalbox_event_loop_pause_seconds", "signalbox_unforeseen_total"];

  test.each(["deploy/grafana/signalbox.json", "deploy/prometheus/signalbox.rules.yml"])(
    "every metric that %s names is in the metrics",
    (file) => {
      const named = new Set(readFileSync(file, "utf8").match(/\b(?:signalbox|nodejs|process)_[a-z0-9_]+\b/g));
      expect(named.size).toBeGreaterThan(5);
      const shown = new Set([...told.inUse.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
      for (const name of named) {
        const base = name.replace(/_(bucket|sum|count)$/, "");
        expect([...shown, ...rare], name).toContain(shown.has(name) ? name : base);
      }
    },
  );
});
