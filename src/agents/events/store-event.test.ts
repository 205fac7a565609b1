import { expect, test } from "vitest";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import { newAgent, newTool, platformEvent, sendEvent, signed } from "../../../test/support/runs/agents.ts";
import { change, eventsIn, runsIn, startWorld } from "../../../test/support/runs/event-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { allPages, expectSameRefusal, startTeam } from "../../../test/support/team.ts";

const strictSchema = { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] };

describeOnBothStores("a character that PostgreSQL cannot store", (kind) => {
  test("is replaced in a stored event, and matches nothing in an address", async () => {
    const { team, agent, toolId } = await startWorld(kind);
    const closed = { params_schema: { type: "object", additionalProperties: false } };
    await change(team, `tools/${toolId}/update`, closed);
    const answer = await sendEvent(team, agent, platformEvent("deployment.error", { "a\0b": 1 }));
    expect(answer.status).toBe(202);
    expect((await change(team, "events/list")).body.results).toMatchObject([{ status: "failed" }]);
    const nowhere = await team.app.inject({
      method: "POST",
      url: "/latest/agents/%00/webhook/%00",
      headers: { "content-type": "application/json" },
      payload: "{}",
    });
    expect(nowhere.statusCode).toBe(404);
  });
});

describeOnBothStores("an event from the deployment platform", (kind) => {
  test("gets 202 once it is stored, and starts the tool of the matching rule with the event as params", async () => {
    const { team, toolId, agent } = await startWorld(kind);
    const event = platformEvent("deployment.error");
    const answer = await sendEvent(team, agent, event);
    expect([answer.status, answer.body]).toEqual([
      202,
      { event_id: expect.stringMatching(/^evt_us_/), run_id: expect.stringMatching(/^run_us_/) },
    ]);
    const { body: run } = await change(team, `runs/${answer.body.run_id}/get`);
    expect(run).toMatchObject({
      tool_id: toolId,
      params: { ...event, type: "deployment.failed", on: "deployment.failed", system_type: "deployment.error" },
    });
    expect((await change(team, `events/${answer.body.event_id}/get`)).body).toMatchObject({
      agent_id: agent.id,
      type: "deployment.failed",
      system_type: "deployment.error",
      status: "started",
      run_id: answer.body.run_id,
      run_ids: [answer.body.run_id],
      problem: null,
      body: event,
    });
  });

  test.each([
    ["deployment.created", "deployment.started"],
    ["deployment.succeeded", "deployment.completed"],
    ["deployment.error", "deployment.failed"],
    ["deployment.canceled", "deployment.canceled"],
    ["project.created", "project.created"],
  ])("%s matches %s, and its own name", async (sent, name) => {
    const team = await startTeam(kind);
    const tool_id = await newTool(team);
    const ours = await newAgent(team, { rules: [{ on: name, tool_id }] });
    const theirs = await newAgent(team, { rules: [{ on: sent, tool_id }] });
    const other = await newAgent(team, { rules: [{ on: "deployment.promoted", tool_id }] });
    const all = await newAgent(team, { rules: [{ on: "*", tool_id }] });
    const runs = [];
    for (const agent of [ours, theirs, other, all]) {
      const { status, body } = await sendEvent(team, agent, platformEvent(sent));
      runs.push([status, body.run_id !== null]);
    }
    expect(runs).toEqual([
      [202, true],
      [202, true],
      [202, false],
      [202, true],
    ]);
    expect((await change(team, "events/list", { status: "ignored" })).body.results).toMatchObject([
      { agent_id: other.id, type: name, system_type: sent, run_id: null },
    ]);
  });

  test("that is repeated returns the first run's id, and does nothing", async () => {
    const { team, agent } = await startWorld(kind);
    const event = platformEvent("deployment.error");
    const first = await sendEvent(team, agent, event);
    for (let i = 0; i < 2; i++) {
      const again = await sendEvent(team, agent, event);
      expect([again.status, again.body]).toEqual([202, first.body]);
    }
    // The same id with other bytes is the same event, too.
    expect((await sendEvent(team, agent, { ...event, region: "sfo1" })).body).toEqual(first.body);
    expect([await eventsIn(team), await runsIn(team)].map((rows) => rows.length)).toEqual([1, 1]);
  });

  test("that arrives fifty times at once has one effect", async () => {
    const { team, agent } = await startWorld(kind);
    const event = platformEvent("deployment.error");
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendEvent(team, agent, event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect([await eventsIn(team), await runsIn(team)].map((rows) => rows.length)).toEqual([1, 1]);
  });

  test("is a new one after seven days; without an id, its bytes identify it", async () => {
    const { team, agent } = await startWorld(kind);
    const { id: _, ...nameless } = platformEvent("deployment.error");
    const first = await sendEvent(team, agent, nameless);
    expect((await sendEvent(team, agent, nameless)).body).toEqual(first.body);
    expect((await sendEvent(team, agent, { ...nameless, createdAt: 7 })).body).not.toEqual(first.body);
    team.advance(7 * 86_400 - 60);
    expect((await sendEvent(team, agent, nameless)).body).toEqual(first.body);
    team.advance(120);
    const later = await sendEvent(team, agent, nameless);
    expect(later.body.event_id).not.toBe(first.body.event_id);
    expect((await sendEvent(team, agent, nameless)).body).toEqual(later.body);
    expect(await eventsIn(team)).toHaveLength(3);
  });

  test("that is forged in any way is 401, and nothing of it is stored", async () => {
    const { team, agent } = await startWorld(kind);
    const text = JSON.stringify(platformEvent("deployment.error"));
    const good = signed(text, agent.secret);
    const flipped = Array.from({ length: 40 }, (_, i) => {
      const digit = Number.parseInt(good[i] ?? "0", 16) ^ 1;
      return good.slice(0, i) + digit.toString(16) + good.slice(i + 1);
    });
    const forged = [
      ...flipped,
      "",
      good.slice(0, -1),
      good.slice(0, 20),
      `${good}0`,
      `sha1=${good}`,
      `${good}, ${good}`,
      "0".repeat(40),
      "g".repeat(40),
      signed(text, "another secret"),
      signed(text, ""),
    ];
    for (const signature of forged) {
      const answer = await sendEvent(team, agent, text, { "x-vercel-signature": signature });
      expectProblem(answer, "signature_invalid");
    }
    const unsigned = await team.app.inject({
      method: "POST",
      url: new URL(agent.url).pathname,
      headers: { "content-type": "application/json" },
      payload: text,
    });
    expect(unsigned.statusCode).toBe(401);
    // The signature of other bytes: one bit more, a part only, the same value written differently.
    const bytes = Buffer.from(text);
    const bit = Buffer.from(bytes);
    bit[10] = (bit[10] ?? 0) ^ 1;
    for (const other of [bit, bytes.subarray(0, -1), Buffer.from(JSON.stringify(JSON.parse(text), null, 1))]) {
      expectProblem(await sendEvent(team, agent, other, { "x-vercel-signature": good }), "signature_invalid");
    }
    expect([await eventsIn(team), await runsIn(team)]).toEqual([[], []]);
    expect(team.logged.join("")).not.toContain(agent.secret);
  });

  test("that is signed but cannot be read is 400, too large 413, no JSON 415; and nothing of it is stored", async () => {
    const { team, agent } = await startWorld(kind);
    const text = JSON.stringify(platformEvent("deployment.error"));
    const unreadable = [text.slice(0, -5), "", "[]", "7", "null", '"text"', '{"id":"a","id":"b"}', `${text}x`];
    for (const body of unreadable) expectProblem(await sendEvent(team, agent, body), "malformed_request");
    const large = JSON.stringify({ ...platformEvent("deployment.error"), fill: "x".repeat(4 * 1024 * 1024) });
    expectProblem(await sendEvent(team, agent, large), "payload_too_large");
    expectProblem(await sendEvent(team, agent, text, { "content-type": "text/plain" }), "unsupported_media_type");
    const read = await team.app.inject({ method: "GET", url: new URL(agent.url).pathname });
    expect([read.statusCode, read.headers.allow]).toEqual([405, "POST"]);
    expect([await eventsIn(team), await runsIn(team)]).toEqual([[], []]);
  });

  test("at an address that no agent has is 404, whichever part of it is wrong", async () => {
    const { team, agent } = await startWorld(kind);
    const other = await newAgent(team);
    const event = platformEvent("deployment.error");
    const answers = [];
    const token = agent.url.split("/").at(-1) ?? "";
    for (const url of [
      agent.url.replace(agent.id, other.id),
      agent.url.replace(agent.id, "agt_us_nobody"),
      agent.url.replace(token, "x".repeat(43)),
      agent.url.slice(0, -1),
    ]) {
      answers.push(await sendEvent(team, { ...agent, url }, event));
    }
    const [first, ...rest] = answers;
    if (!first) throw new Error("No answer.");
    expectProblem(first, "agent_not_found");
    for (const answer of rest) expectSameRefusal("agent_not_found", first, answer);
    await change(team, `agents/${agent.id}/delete`);
    expectSameRefusal("agent_not_found", first, await sendEvent(team, agent, event));
  });

  test("is accepted with each secret of the agent, for as long as that is valid", async () => {
    const { team, agent } = await startWorld(kind);
    const statusWith = async (secret: string) =>
      (await sendEvent(team, { ...agent, secret }, platformEvent("deployment.error"))).status;
    await change(team, `agents/${agent.id}/update`, { webhook_secrets: ["made-by-the-platform", "and-another"] });
    expect(await Promise.all([agent.secret, "made-by-the-platform", "and-another", "neither"].map(statusWith))).toEqual(
      [202, 202, 202, 401],
    );
    const { body: rotated } = await change(team, `agents/${agent.id}/rotate_secret`, { overlap_seconds: 60 });
    expect([await statusWith(agent.secret), await statusWith(rotated.webhook_secret)]).toEqual([202, 202]);
    team.advance(61);
    await change(team, `agents/${agent.id}/update`, { webhook_secrets: [] });
    expect([
      await statusWith(agent.secret),
      await statusWith("and-another"),
      await statusWith(rotated.webhook_secret),
    ]).toEqual([401, 401, 202]);
    await change(team, `agents/${agent.id}/update`, { webhook_signature: "off" });
    expect(await statusWith("neither")).toBe(202);
  });

  test("fills a rule's params; several rules start several runs", async () => {
    const { team, toolId, agent } = await startWorld(kind, {
      params: { id: "{{event.payload.deployment.id}}", what: "{{event.on}} in {{event.region}}", number: 7 },
    });
    const rules = [
      { on: "deployment.failed", tool_id: toolId, params: { id: "{{event.payload.deployment.id}}" } },
      // "`{{event.type}}` and `on` speak one language."
      { on: "deployment.error", tool_id: toolId, params: { type: "{{event.type}}", ours: "{{event.on}}" } },
      { on: "*", tool_id: toolId, params: { type: "{{event.type}}" } },
    ];
    const first = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect((await change(team, `runs/${first.body.run_id}/get`)).body.params).toEqual({
      id: "dpl_7Qm2",
      what: "deployment.failed in iad1",
      number: 7,
    });
    await change(team, `agents/${agent.id}/update`, { rules });
    const second = await sendEvent(team, agent, platformEvent("deployment.error"));
    const { body: event } = await change(team, `events/${second.body.event_id}/get`);
    expect(event.run_ids).toHaveLength(3);
    expect(event.run_ids[0]).toBe(second.body.run_id);
    const paramsOf = async (id: string) => (await change(team, `runs/${id}/get`)).body.params;
    expect(await paramsOf(event.run_ids[1])).toEqual({ type: "deployment.error", ours: "deployment.failed" });
    expect(await paramsOf(event.run_ids[2])).toEqual({ type: "deployment.failed" });
  });

  test("whose rule cannot start its tool is stored all the same, says why, and can be replayed after a repair", async () => {
    const { team, agent } = await startWorld(kind, { params: { id: "{{$error('no such thing')}}" } });
    const answer = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect([answer.status, answer.body.run_id]).toEqual([202, null]);
    const path = `events/${answer.body.event_id}`;
    expect((await change(team, `${path}/get`)).body).toMatchObject({
      status: "failed",
      problem: expect.stringContaining("/id"),
    });
    const strict = await newTool(team, { params_schema: strictSchema });
    await change(team, `agents/${agent.id}/update`, { rules: [{ on: "*", tool_id: strict, params: {} }] });
    expect((await change(team, `${path}/replay`)).body).toMatchObject({
      status: "failed",
      problem: expect.stringContaining("branch"),
    });
    await change(team, `agents/${agent.id}/update`, {
      rules: [{ on: "*", tool_id: strict, params: { branch: "main" } }],
    });
    const { body: replayed } = await change(team, `${path}/replay`);
    expect(replayed).toMatchObject({ status: "started", problem: null, run_id: expect.stringMatching(/^run_us_/) });
    const { body: again } = await change(team, `${path}/replay`);
    expect(again.run_ids).toHaveLength(2);
    await change(team, `tools/${strict}/delete`);
    const gone = await sendEvent(team, agent, platformEvent("deployment.error"));
    expect((await change(team, `events/${gone.body.event_id}/get`)).body).toMatchObject({
      status: "failed",
      problem: expect.stringContaining("gone"),
    });
  });
});

describeOnBothStores("the list of events", (kind) => {
  test("is newest first, in pages, by agent, status and name; another project's events look absent", async () => {
    const { team, agent } = await startWorld(kind);
    const other = await newAgent(team);
    for (let i = 0; i < 5; i++) await sendEvent(team, agent, platformEvent("deployment.error"));
    for (let i = 0; i < 2; i++) await sendEvent(team, other, platformEvent("project.created"));
    const pages = await allPages(team.call, "events/list", { limit: 3 }, team.inProject(team.owner));
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    const ids = pages.flat().map((event) => String(event.event_id));
    expect(ids).toEqual([...ids].sort().reverse());
    const countOf = async (filter: object) => (await change(team, "events/list", filter)).body.results.length;
    expect(await countOf({ agent_id: agent.id })).toBe(5);
    expect(await countOf({ status: "ignored" })).toBe(2);
    expect(await countOf({ type: "project.created" })).toBe(2);
    expect(await countOf({ agent_id: other.id, status: "started" })).toBe(0);
    const next = await team.neighbour();
    for (const what of ["get", "replay"]) {
      const answer = await team.call(`events/${ids[0]}/${what}`, {}, { as: next.owner, project: next.projectId });
      expect(answer.body.code).toBe("event_not_found");
    }
    const viewer = await team.colleague("viewer", "viewer");
    expect((await team.call(`events/${ids[0]}/get`, {}, team.inProject(viewer))).status).toBe(200);
    expect((await team.call(`events/${ids[0]}/replay`, {}, team.inProject(viewer))).body.code).toBe("editor_required");
  });
});
