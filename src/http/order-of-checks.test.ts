import { describe, expect, test } from "vitest";
import { permissions } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { startTeam } from "../../test/support/team.ts";
import { newApiKey } from "../access/callers/api-key-format.ts";
import { needsProject } from "../access/callers/authorize.ts";
import { operations } from "../api/index.ts";
import { newId } from "../kernel/ids.ts";

/**
 * "Order of checks, always: size and method, content type, authentication, region, project membership, role, body
 * validation, state conflict. An unauthenticated caller never sees validation detail."
 */

const calledAt = (path: string): string => path.slice("/latest/".length).replace(/\{\w+\}/g, "no-such-id");

// "`Authorization: Bearer sbk_…` without a colon is accepted as an account key where no project is needed, and otherwise answered with
// what is missing."
test("a key without a colon reaches the account, and in a project's operations the response names the form to use", async () => {
  const { app, owner } = await startTeam("sqlite");
  const call = async (operation: string) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${owner.apiKey}` };
    const answer = await app.inject({ method: "POST", url: `/latest/${operation}`, headers, payload: "{}" });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  expect(await call("auth/info")).toMatchObject({ status: 200, body: { user: { email: owner.email } } });
  const { status, body } = await call("runs/list");
  expect([status, `${body.detail} ${body.remedy}`]).toEqual([400, expect.stringMatching(/project/)]);
  expect(body.remedy).toContain("<project_id>:<api_key>");
});

describe("the order of the checks", () => {
  test("each fault hides every later one", async () => {
    const team = await startTeam("sqlite");
    const viewer = await team.colleague("viewer", "viewer");
    const { owner: stranger } = await team.neighbour();
    const { app, projectId } = team;
    const at = async (method: "GET" | "POST", headers: Record<string, string>, payload: string) => {
      const {
        statusCode,
        headers: sent,
        body,
      } = await app.inject({
        method,
        url: "/latest/auth/invite/create",
        headers: { "idempotency-key": "", ...headers },
        payload,
      });
      const parsed = JSON.parse(body);
      expectProblem({ status: statusCode, headers: sent, text: body, body: parsed }, parsed.code);
      return parsed;
    };
    const huge = `{"email":"${"x".repeat(70_000)}`;
    const unreadable = '{"email":7,';
    const json = { "content-type": "application/json" };
    const as = (authorization: string) => ({ ...json, authorization });
    const unacceptable = JSON.stringify({ email: "no address", permissions: permissions("admin") });

    expect((await at("GET", {}, huge)).code).toBe("method_not_allowed");
    const steps: [Record<string, string>, string, string][] = [
      [{}, huge, "payload_too_large"],
      [{ authorization: "nonsense" }, unreadable, "unsupported_media_type"],
      [json, unreadable, "credentials_missing"],
      [as("nonsense"), unreadable, "credentials_invalid"],
      [as(`Bearer ${newId("project", "us")}:${newApiKey("eu")}`), unreadable, "wrong_region"],
      [as(`Bearer ${newId("project", "eu")}:${newApiKey("us")}`), unreadable, "credentials_invalid"],
      [as(`Bearer ${newId("project", "eu")}:${stranger.apiKey}`), unreadable, "wrong_region"],
      [as(`Bearer ${projectId}:${stranger.apiKey}`), unreadable, "project_not_found"],
      [as(`Bearer ${projectId}:${viewer.apiKey}`), unreadable, "admin_required"],
    ];
    for (const [headers, payload, code] of steps) {
      const problem = await at("POST", headers, payload);
      expect(problem.code).toBe(code);
      expect(problem.errors).toBeUndefined();
    }

    const owner = as(`Bearer ${projectId}:${team.owner.apiKey}`);
    const keyed = { ...owner, "idempotency-key": "one" };
    expect((await at("POST", keyed, unreadable)).code).toBe("malformed_request");
    expect((await at("POST", keyed, unacceptable)).code).toBe("validation_failed");
    const member = JSON.stringify({ email: viewer.email, permissions: permissions("admin") });
    expect((await at("POST", owner, member)).code).toBe("idempotency_key_invalid");
    expect((await at("POST", keyed, member)).code).toBe("already_member");
  });

  test("no operation reveals anything about the body to a caller without credentials", async () => {
    const team = await startTeam("sqlite");
    const authorization = `Bearer ${team.projectId}:${newApiKey("us")}`;
    for (const { path } of operations.filter(({ needs }) => needs !== "nobody")) {
      for (const body of ["{", '{"limit":"many","email":7,"name":""}']) {
        const missing = await team.call(calledAt(path), body, { headers: { "idempotency-key": "" } });
        const wrong = await team.call(calledAt(path), body, { authorization, headers: { "idempotency-key": "" } });
        expectProblem(missing, "credentials_missing");
        expectProblem(wrong, "credentials_invalid");
        expect([missing.body.errors, wrong.body.errors]).toEqual([undefined, undefined]);
      }
    }
  });

  test("no operation on a project reveals anything about the body to an outsider, nor an admin's operation to a viewer", async () => {
    const team = await startTeam("sqlite");
    const viewer = await team.colleague("viewer", "viewer");
    const { owner: stranger } = await team.neighbour();
    const onProjects = operations.filter(({ needs }) => needsProject(needs));
    expect(onProjects.length).toBeGreaterThan(5);
    for (const { path, needs } of onProjects) {
      for (const body of ["{", '{"limit":"many","email":7,"name":""}']) {
        const outside = await team.call(calledAt(path), body, team.inProject(stranger));
        expectProblem(outside, "project_not_found");
        expect(outside.body.errors).toBeUndefined();
        if (needs !== "project admin") continue;
        const below = await team.call(calledAt(path), body, team.inProject(viewer));
        expectProblem(below, "admin_required");
        expect(below.body.errors).toBeUndefined();
      }
    }
  });
});
