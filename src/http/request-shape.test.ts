import { request as httpRequest, METHODS } from "node:http";
import { describe, expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { listen, type readAnswer } from "../../test/support/processes/raw-http.ts";
import { startTeam } from "../../test/support/team.ts";

describe("the form of a request is checked first", () => {
  test("every other method is 405 and names the one that is allowed", async () => {
    const { app } = await startTeam("sqlite");
    for (const method of METHODS.filter((each) => !["POST", "CONNECT", "HEAD"].includes(each))) {
      // Node accepts more methods than the types of inject.
      const asked = { method: method as "GET", url: "/latest/auth/invite/create" };
      const { statusCode, headers, body } = await app.inject(asked);
      expectProblem({ status: statusCode, headers, text: body, body: JSON.parse(body) }, "method_not_allowed");
      expect([method, headers.allow]).toEqual([method, "POST"]);
    }
    const { statusCode, headers } = await app.inject({ method: "POST", url: "/readyz" });
    expect({ statusCode, allow: headers.allow }).toEqual({ statusCode: 405, allow: "GET, HEAD" });
  });

  test.each([
    ["left out", undefined],
    ["plain text", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["nearly JSON", "application/jsonp"],
    ["two types", "text/plain, application/json"],
  ])("a content type that is %s is 415", async (_, type) => {
    const { app, owner } = await startTeam("sqlite");
    const { statusCode, headers, body } = await app.inject({
      method: "POST",
      url: "/latest/auth/info",
      headers: { authorization: `Bearer :${owner.apiKey}`, ...(type === undefined ? {} : { "content-type": type }) },
      payload: "{}",
    });
    expectProblem({ status: statusCode, headers, text: body, body: JSON.parse(body) }, "unsupported_media_type");
  });

  test("application/json may carry parameters and any case", async () => {
    const team = await startTeam("sqlite");
    for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=utf-8"]) {
      const answer = await team.call("auth/info", {}, { as: team.owner, headers: { "content-type": type } });
      expect(answer.status).toBe(200);
    }
  });

  test("64 KiB pass and one byte more is 413, announced or in chunks", async () => {
    const team = await startTeam("sqlite");
    const port = await listen(team);
    const bodyOf = (bytes: number) => `{"pad":"${"x".repeat(bytes - 10)}"}`;
    const post = (body: string, framing: Record<string, string | number>, path = "auth/info") =>
      new Promise<ReturnType<typeof readAnswer>>((resolve, reject) => {
        const headers = {
          authorization: `Bearer :${team.owner.apiKey}`,
          "content-type": "application/json",
          ...framing,
        };
        const call = httpRequest({ host: "127.0.0.1", port, path: `/latest/${path}`, method: "POST", headers });
        call.on("error", reject);
        call.on("response", async (response) => {
          const text = (await response.toArray()).join("");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as never,
            text,
            body: JSON.parse(text),
          });
        });
        call.end(body);
      });
    for (const framing of [{ "content-length": 65_536 }, { "transfer-encoding": "chunked" }]) {
      expect((await post(bodyOf(65_536), framing as never)).status).toBe(200);
    }
    expectProblem(await post(bodyOf(65_537), { "content-length": 65_537 }), "payload_too_large");
    expectProblem(await post(bodyOf(65_537), { "transfer-encoding": "chunked" }), "payload_too_large");
    // "… over 4 MiB on steps, tools, agents, webhooks and SCIM"
    const large = 4 * 1024 * 1024;
    for (const path of ["steps/list", "tools/x/trigger", "agents/create", "webhooks/create"]) {
      expectProblem(await post(bodyOf(large), {}, path), "project_required");
      expectProblem(await post(bodyOf(large + 1), {}, path), "payload_too_large");
    }
  });

  test("a body that is not UTF-8 is refused, but the replacement character is not", async () => {
    const team = await startTeam("sqlite");
    const url = `http://127.0.0.1:${await listen(team)}/latest/projects/create`;
    const headers = { authorization: `Bearer :${team.owner.apiKey}`, "content-type": "application/json" };
    const wish = JSON.stringify({ name: "?", description: "", organization_id: team.owner.organizationId });
    const send = async (body: string | Buffer) => (await fetch(url, { method: "POST", headers, body })).json();
    const broken = Buffer.from(wish.replace("?", "\u00ff"), "latin1");
    expect(await send(broken)).toMatchObject({ code: "malformed_request", detail: "The body is not UTF-8." });
    expect(await send(wish.replace("?", "\ufffd"))).toEqual({ project_id: expect.any(String) });
  });

  test("an unknown path, another version and a path that cannot be read are 404", async () => {
    const team = await startTeam("sqlite");
    const paths = [
      "/nothing",
      "/latest",
      "/latest/",
      "/latest/projects",
      "/latest/projects/create/",
      "/latest/Projects/Create",
      "/latest//projects/create",
      "/v1/projects/create",
      "/2026-11-15/projects/create",
      "/projects/create",
      "/latest/auth/users/%zz/update",
      `/latest/auth/users/${"u".repeat(500)}/update`,
    ];
    for (const url of paths) {
      const headers = { authorization: `Bearer :${team.owner.apiKey}`, "content-type": "application/json" };
      const {
        statusCode,
        headers: sent,
        body,
      } = await team.app.inject({ method: "POST", url, headers, payload: "{}" });
      expectProblem({ status: statusCode, headers: sent, text: body, body: JSON.parse(body) }, "route_not_found");
    }
  });

  test("deleting a project is 501 on both paths, for every caller with an account", async () => {
    const team = await startTeam("sqlite");
    const as = await team.colleague("anyone");
    for (const path of ["projects/delete", `projects/${team.projectId}/delete`]) {
      const answer = await team.call(path, {}, { as });
      expectProblem(answer, "not_available");
      expect(answer.body.detail).toBe("Deleting a project through the API is in development.");
      expect(answer.headers["retry-after"]).toBeUndefined();
      expectProblem(await team.call(path, {}), "credentials_missing");
    }
    const still = await team.call("projects/get", {}, team.inProject(team.owner));
    expect(still.status).toBe(200);
  });
});
