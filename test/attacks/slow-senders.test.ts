import { expect, test } from "vitest";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { connectTo, listen, type RawConnection, readAnswer } from "../support/processes/raw-http.ts";
import { startTeam, type Team } from "../support/team.ts";

/**
 * "Caps … on slow senders": a client that sends a byte now and then is cut off, and keeps no memory. Here the time is shorter than anybody's
 * patience; src/http/raw-socket.test.ts has the one that the server gives.
 */
const timeLimits = { requestTimeout: 400, headersTimeout: 300, connectionsCheckingInterval: 50 };

/** Sends a part every few milliseconds for as long as the server listens. Returns all that it answered. */
async function trickle(client: RawConnection, part: string): Promise<ReturnType<typeof readAnswer>> {
  const sending = setInterval(() => client.send(part), 20);
  return readAnswer(await client.closed().finally(() => clearInterval(sending)));
}

const headOf = ({ owner, projectId }: Team, path: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: signalbox",
    "Content-Type: application/json",
    `Authorization: Bearer ${projectId}:${owner.apiKey}`,
    "",
  ].join("\r\n");

test("a body that trickles is cut off with 408, and its memory is free again", async () => {
  const team = await startTeam("sqlite", { timeLimits });
  const port = await listen(team);
  for (const length of ["Content-Length: 1000000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]) {
    const client = await connectTo(port);
    client.send(`${headOf(team, "/latest/tools/create")}${length}`);
    const answer = await trickle(client, length.startsWith("Content") ? " " : "1\r\n \r\n");
    expectProblem(answer, "request_timeout");
    expect([answer.status, answer.headers.connection]).toEqual([408, "close"]);
  }
  await expect.poll(() => team.edge.bodies.bytesReserved()).toBe(0);
  await expect.poll(() => team.edge.connections.open()).toBe(0);
  expect((await team.call("tools/list", {}, team.inProject(team.owner))).body.results).toEqual([]);
});

test("headers that trickle are cut off", async () => {
  const team = await startTeam("sqlite", { timeLimits });
  const port = await listen(team);
  const client = await connectTo(port);
  client.send(headOf(team, "/latest/auth/info"));
  expectProblem(await trickle(client, "a: b\r\n"), "request_timeout");
});
