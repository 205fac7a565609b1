import { describe, expect, test } from "vitest";
import { expectCommonHeaders, expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectTo, listen, readAnswer } from "../../test/support/processes/raw-http.ts";
import { newAgent, platformEvent, sendEvent, signed, type TestAgent } from "../../test/support/runs/agents.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";

const eventsIn = async ({ store }: Team) => (await store.query("select id from events")).length;

/** An event as an HTTP request. */
function asBytes({ url, secret }: TestAgent, text: string, more = ""): string {
  const { pathname } = new URL(url);
  return `POST ${pathname} HTTP/1.1\r\nHost: signalbox\r\nContent-Type: application/json\r\nX-Vercel-Signature: ${signed(
    text,
    secret,
  )}\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`;
}

describe("an event over HTTP", () => {
  test("gets 202 with the headers of every response, and the log names neither address nor secret", async () => {
    const team = await startTeam("sqlite");
    const agent = await newAgent(team);
    const client = await connectTo(await listen(team));
    client.send(asBytes(agent, JSON.stringify(platformEvent("deployment.error")), "Connection: close\r\n"));
    const answer = readAnswer(await client.closed());
    expect([answer.status, answer.body]).toEqual([202, { event_id: expect.any(String), run_id: null }]);
    expectCommonHeaders(answer.headers);
    const token = agent.url.split("/").at(-1) ?? "";
    expect(team.logged.join("")).toContain("agents/{agent_id}/webhook/{webhook_token}");
    expect(team.logged.join("")).not.toContain(token);
  });

  test("that breaks off is not stored, and the next one is served", async () => {
    const team = await startTeam("sqlite");
    const agent = await newAgent(team);
    const port = await listen(team);
    const bytes = asBytes(agent, JSON.stringify(platformEvent("deployment.error")));
    const cut = await connectTo(port);
    cut.send(bytes.slice(0, -20));
    cut.leave();
    const client = await connectTo(port);
    client.send(bytes);
    expect(await client.received(/"event_id"/)).toContain("HTTP/1.1 202");
    expect(await eventsIn(team)).toBe(1);
  });

  test("with two signatures is believed by neither", async () => {
    const team = await startTeam("sqlite");
    const agent = await newAgent(team);
    const text = JSON.stringify(platformEvent("deployment.error"));
    const client = await connectTo(await listen(team));
    const second = `X-Vercel-Signature: ${"0".repeat(40)}\r\nConnection: close\r\n`;
    client.send(asBytes(agent, text, second));
    expectProblem(readAnswer(await client.closed()), "signature_invalid");
    expect(await eventsIn(team)).toBe(0);
  });

  test("is refused at once if its Content-Length is too large", async () => {
    const team = await startTeam("sqlite");
    const agent = await newAgent(team);
    const client = await connectTo(await listen(team));
    const { pathname } = new URL(agent.url);
    client.send(
      `POST ${pathname} HTTP/1.1\r\nHost: signalbox\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`,
    );
    expectProblem(readAnswer(await client.closed()), "payload_too_large");
  });

  test("guessing signatures is rate limited like guessing keys", async () => {
    const team = await startTeam("sqlite", {
      rateLimits: { ...defaultPolicies, auth_failure: { quota: 3, windowSeconds: 60 } },
    });
    const agent = await newAgent(team);
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const wrong = { ...agent, secret: `guess ${i}` };
      statuses.push((await sendEvent(team, wrong, platformEvent("deployment.error"))).status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    // Events with a valid signature are not delayed.
    expect((await sendEvent(team, agent, platformEvent("deployment.error"))).status).toBe(202);
  });
});
