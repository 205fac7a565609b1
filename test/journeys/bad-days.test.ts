import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { startPlatform } from "../support/platform.ts";
import { answerJson, type Rogue, startRogue } from "../support/systems/rogue.ts";

// "Each step ends in a documented state; retry counts exact."
describe("a system that misbehaves", () => {
  let rogue: Rogue;
  beforeEach(async () => {
    rogue = await startRogue();
  });

  test("a 50 MB gzip bomb ends as response_too_large", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    rogue.says((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(bomb);
    });
    const { status, body } = await rogue.api({ method: "GET" });
    expect({ status, run: body.status, code: body.problem.code }).toEqual({
      status: 200,
      run: "failed",
      code: "response_too_large",
    });
    expect(rogue.arrived.length).toBe(1);
  });

  test("invalid JSON ends as system_unavailable, and is shown as it was received", async () => {
    rogue.says((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end("{not json");
    });
    const { body } = await rogue.api({ method: "GET" });
    expect([body.status, body.problem?.code, body.output.body]).toEqual(["failed", "system_unavailable", "{not json"]);
  });

  test("a read that is cut off is retried, and succeeds", async () => {
    let first = true;
    rogue.says((request, response) => {
      if (first) {
        first = false;
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        response.write('{"half":');
        setImmediate(() => response.destroy());
        return;
      }
      answerJson(200, { name: "web" })(request, response);
    });
    const { body } = await rogue.api({ method: "GET" });
    expect(body).toMatchObject({ status: "succeeded", output: { status: 200, body: { name: "web" } } });
    expect(rogue.arrived.length).toBe(2);
  });

  test("a write that is cut off is not retried: outcome_unknown", async () => {
    rogue.says((_, response) => response.destroy());
    const { body } = await rogue.api({ method: "POST", path: "/v10/projects", body: { name: "x" } });
    expect([body.status, body.problem.code]).toEqual(["outcome_unknown", "outcome_unknown"]);
    expect(rogue.arrived.length).toBe(1);
  });

  test("a delete whose response was lost is not sent again: the record is gone, so it counts as done", async () => {
    const before = rogue.arrived.length;
    rogue.says((_, response) => {
      if (rogue.arrived.length === before + 1) return void response.destroy();
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "not_found", message: "Project not found." } }));
    });
    const { body } = await rogue.api({ method: "DELETE" });
    expect(body).toMatchObject({ status: "succeeded", output: { status: 204 } });
    expect(body.warnings).toEqual([expect.stringContaining("is gone"), expect.stringContaining("response was lost")]);
    expect(rogue.arrived.filter((sent) => sent.startsWith("DELETE"))).toHaveLength(1);
    expect((await rogue.api({ method: "DELETE" })).body).toMatchObject({ problem: { code: "not_found_there" } });
  });

  test("a repeatable write that never gets a response is outcome_unknown too", async () => {
    rogue.says((_, response) => void response.destroy());
    const { body } = await rogue.api({ method: "PATCH", body: { name: "web" } });
    expect(body).toMatchObject({ status: "outcome_unknown", problem: { code: "outcome_unknown" } });
    expect(rogue.arrived.filter((sent) => sent.startsWith("PATCH"))).toHaveLength(3);
  });

  test("after an error of the system a read is tried three times, a write once", async () => {
    rogue.says(answerJson(500, { error: { code: "internal_server_error", message: "boom" } }));
    const read = await rogue.api({ method: "GET" });
    expect([read.body.problem.code, rogue.arrived.length]).toEqual(["system_unavailable", 3]);
    expect(read.body.output).toEqual({
      status: 500,
      headers: expect.objectContaining({ "content-type": "application/json" }),
      body: { error: { code: "internal_server_error", message: "boom" } },
    });
    const write = await rogue.api({ method: "POST", path: "/v10/projects", body: { name: "x" } });
    expect([write.body.problem.code, rogue.arrived.length]).toEqual(["outcome_unknown", 4]);
  });

  test("a limit that resets too late ends as rate_limited, with the time to retry", async () => {
    rogue.says(answerJson(429, { error: { code: "rate_limited", message: "slow down" } }, { "retry-after": "120" }));
    const { body } = await rogue.api({ method: "GET" }, { wait_seconds: 1 });
    expect(body.problem).toMatchObject({ code: "rate_limited", retry: "later", retry_at: expect.any(String) });
    expect(rogue.arrived.length).toBe(1);
  });

  test("a redirect to another origin is not followed, and gets no credential", async () => {
    rogue.says((_, response) => {
      response.writeHead(302, { location: "https://evil.example/take" });
      response.end();
    });
    const { body } = await rogue.api({ method: "GET" });
    expect(body.problem.code).toBe("invalid_there");
    expect(JSON.stringify(body)).not.toContain("canary-token-of-the-test");
  });

  test("headers that callers must not set are refused before a run is created", async () => {
    for (const headers of [{ Authorization: "Bearer mine" }, { Host: "evil" }, { "X-Ok": "a\r\nInjected: 1" }]) {
      const { status } = await rogue.api({ method: "GET", headers });
      expect(status).toBe(422);
    }
    expect(rogue.arrived.length).toBe(0);
  });

  test("paths that would leave the host are refused before a run is created", async () => {
    const paths = [
      "https://evil.example/",
      "//evil.example/v9",
      "/v9/../../admin",
      "/v9/%2e%2e/x",
      "/v9\\x",
      "v9/projects",
    ];
    for (const path of paths) {
      const { status } = await rogue.api({ method: "GET", path });
      expect({ path, status }).toEqual({ path, status: 422 });
    }
    expect(rogue.arrived.length).toBe(0);
  });
});

describe("an account that loses its access", () => {
  test("connect, run a report, lose the grant, see the step fail, reconnect, see it work", async () => {
    const platform = await startPlatform();
    const report = {
      property_id: "1000",
      metrics: ["sessions"],
      date_range: { start_date: "7daysAgo", end_date: "yesterday" },
    };
    const { analytics } = platform.sandboxes;
    const credentials = { refresh_token: analytics.credentials.oauth.refresh_tokens.viewer };
    const wish = { system: "analytics", instance: "sandbox", credentials, label: "viewer" };
    const { body: made } = await platform.call("connections/connect", wish);
    const connection = made.connection_id;
    const works = await platform.run("run_reports", report, { connection });
    expect(works.body.status).toBe("succeeded");

    const revoked = await fetch(`${analytics.url}/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: credentials.refresh_token }),
    });
    expect(revoked.status).toBe(200);
    const refused = await platform.run("run_reports", report, { connection });
    expect(refused.body).toMatchObject({ status: "failed", problem: { code: "needs_reconnect", fault: "account" } });
    const shown = await platform.call(`connections/${connection}/get`);
    expect(shown.body).toMatchObject({ state: "needs_reconnect", label: "viewer" });

    const other = { refresh_token: analytics.credentials.oauth.refresh_tokens.editor };
    const again = await platform.call("connections/connect", {
      ...wish,
      credentials: other,
      connection_id: connection,
    });
    expect(again.body.connection_id).toBe(connection);
    const worksAgain = await platform.run("run_reports", report, { connection });
    expect(worksAgain.body.status).toBe("succeeded");
  });

  test("a dry run on an account that must be reconnected says so", async () => {
    const platform = await startPlatform();
    const connection = platform.connections.deployment;
    await platform.call(`connections/${connection}/remove`, {});
    const { body } = await platform.run("list_deployments", {}, { dry_run: true });
    expect(body).toMatchObject({
      request: { method: "GET" },
      problem: { code: "needs_reconnect", retry: "after_fix" },
    });
  });

  test("a removed connection stays listed as removed, and steps on it end with needs_reconnect", async () => {
    const platform = await startPlatform();
    const id = platform.connections.marketing;
    const removed = await platform.call(`connections/${id}/remove`, {});
    expect(removed.status).toBe(200);
    const listed = await platform.call("connections/list", {});
    expect(listed.body.results.find((each: { connection_id: string }) => each.connection_id === id).state).toBe(
      "removed",
    );
    const { body } = await platform.run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
    expect(body).toMatchObject({ status: "failed", problem: { code: "needs_reconnect", connection_id: id } });
    const back = await platform.call("connections/connect", {
      system: "marketing",
      instance: "sandbox",
      connection_id: id,
    });
    expect(back.body.connection_id).toBe(id);
    const works = await platform.run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
    expect(works.body.status).toBe("succeeded");
  });
});
