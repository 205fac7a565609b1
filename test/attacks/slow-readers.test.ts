import { describe, expect, test } from "vitest";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { connectTo, listen, readAnswer, statusesIn } from "../support/processes/raw-http.ts";
import { aTool } from "../support/runs/runs.ts";
import { startTeam, type Team } from "../support/team.ts";

/**
 * Clients that ask for much and read nothing. The machine takes some megabytes of each response for them; the rest would stay in the
 * memory of the server.
 */

const mebibyte = 1024 * 1024;
const copies = ["a", "b", "c", "d", "e"];
/** More than the machine takes for a client that reads nothing. */
const outputBytes = copies.length * 3_900_000;

const share = { anonymousBytesMax: mebibyte, addressBytesMax: mebibyte };
/** Room for one of these outputs. */
const roomForOne = { ...share, bytesMax: 100 * mebibyte, organizationBytesMax: 24 * mebibyte };
/** For how many outputs the log has a line. */
const outputsIn = ({ logged }: Team): number => logged.filter((line) => line.includes('/output"')).length;

const patient = { timeout: 30_000 };
/** Here the time is shorter than anybody's patience. */
const impatient = { unreadTimeout: 300, connectionsCheckingInterval: 50 };

const tool = () =>
  aTool([{ name: "wait", step: "wait", input: { seconds: 0 } }], {
    output: Object.fromEntries(copies.map((name) => [name, "{{params.text}}"])),
  });

/** A tool whose runs have a large output, and one such run. */
async function startWithOutput(options: Parameters<typeof startTeam>[1]) {
  const team = await startTeam("sqlite", options);
  const made = await team.call("tools/create", tool(), team.inProject(team.owner));
  const run = () =>
    team.call(
      `tools/${made.body.tool_id}/trigger`,
      { params: { text: "x".repeat(3_900_000) } },
      team.inProject(team.owner),
    );
  const { body } = await run();
  expect(body.status).toBe("succeeded");
  return { team, port: await listen(team), runId: body.run_id as string, toolId: made.body.tool_id as string };
}

const post = ({ projectId, owner }: Team, path: string, input: object): string => {
  const body = JSON.stringify(input);
  return [
    `POST /latest/${path} HTTP/1.1`,
    "Host: signalbox",
    "Content-Type: application/json",
    `Authorization: Bearer ${projectId}:${owner.apiKey}`,
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
};

const outputOf = (team: Team, runId: string) => post(team, `runs/${runId}/output`, { handle: "/output" });

describe("a client that reads nothing", () => {
  test("is disconnected after a while, and its memory is free again", async () => {
    const { team, port, runId } = await startWithOutput({ timeLimits: impatient });
    const stuck = await Promise.all(Array.from({ length: 3 }, () => connectTo(port, { reads: false })));
    for (const client of stuck) client.send(outputOf(team, runId));
    await expect.poll(() => outputsIn(team), patient).toBe(3);
    await expect.poll(() => team.edge.connections.open(), patient).toBe(0);
    expect(team.edge.responses.bytesReserved()).toBe(0);
  });

  test("gets all of it if it reads after all", async () => {
    const { team, port, runId } = await startWithOutput({});
    const late = await connectTo(port, { reads: false });
    late.send(outputOf(team, runId).replace("Host:", "Connection: close\r\nHost:"));
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBeGreaterThan(outputBytes);
    late.read();
    const text = await late.closed();
    const { headers } = readAnswer(text.slice(0, 2_000).replace(/\r\n\r\n[\s\S]*/, "\r\n\r\n"));
    expect(text.length - text.indexOf("\r\n\r\n") - 4).toBe(Number(headers["content-length"]));
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBe(0);
  });

  test("uses up the share of its own organization, and no other's", async () => {
    const { team, port, runId } = await startWithOutput({ edge: { responses: roomForOne } });
    const first = await connectTo(port, { reads: false });
    first.send(outputOf(team, runId));
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBeGreaterThan(outputBytes);
    const refused = await team.call(`runs/${runId}/output`, { handle: "/output" }, team.inProject(team.owner));
    expectProblem(refused, "rate_limited");
    expect([refused.body["violated-policies"], refused.headers["retry-after"]]).toEqual([["responses"], "1"]);
    // Small responses need none of it.
    expect((await team.call("tools/list", {}, team.inProject(team.owner))).status).toBe(200);
    const neighbour = await team.neighbour();
    const as = { as: neighbour.owner, project: neighbour.projectId };
    const { body } = await team.call("tools/create", tool(), as);
    const theirs = await team.call(`tools/${body.tool_id}/trigger`, { params: { text: "x".repeat(20_000) } }, as);
    expect([theirs.status, theirs.text.length > 100_000]).toEqual([200, true]);
    first.leave();
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBe(0);
    const again = await team.call(`runs/${runId}/output`, { handle: "/output" }, team.inProject(team.owner));
    expect(again.text.length).toBeGreaterThan(outputBytes);
    expect(team.edge.responses.bytesReserved()).toBe(0);
  });

  test("is not told that a change was refused: its connection closes, and the same Idempotency-Key has the response", async () => {
    const { team, port, runId, toolId } = await startWithOutput({ edge: { responses: roomForOne } });
    const first = await connectTo(port, { reads: false });
    first.send(outputOf(team, runId));
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBeGreaterThan(outputBytes);
    const change = post(team, `tools/${toolId}/trigger`, { params: { text: "x".repeat(3_000_000) } });
    const second = await connectTo(port);
    second.send(change.replace("Host:", "Idempotency-Key: once\r\nHost:"));
    expect(await second.closed()).toBe("");
    expect(team.logged.join()).toContain("a response found no memory, and its connection was closed");
    first.leave();
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBe(0);
    const third = await connectTo(port);
    third.send(change.replace("Host:", "Idempotency-Key: once\r\nConnection: close\r\nHost:"));
    expect(statusesIn((await third.closed()).slice(0, 100))).toEqual([200]);
    const { body } = await team.call("runs/list", {}, team.inProject(team.owner));
    expect(body.results).toHaveLength(2);
  });

  test("has one response in memory, however many requests it sends at once", async () => {
    const { team, port, runId } = await startWithOutput({});
    const greedy = await connectTo(port, { reads: false });
    greedy.send(outputOf(team, runId).repeat(20));
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBeGreaterThan(outputBytes);
    // A call that was sent later is served before the second of these.
    await team.call("tools/list", {}, team.inProject(team.owner));
    expect(team.edge.responses.bytesReserved()).toBeLessThan(2 * outputBytes);
    expect(outputsIn(team)).toBe(1);
    greedy.leave();
    await expect.poll(() => team.edge.responses.bytesReserved(), patient).toBe(0);
  });
});
