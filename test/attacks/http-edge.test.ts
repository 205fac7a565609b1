import { describe, expect, test } from "vitest";
import { newApiKey } from "../../src/access/callers/api-key-format.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { connectTo, listen, type RawConnection, readAnswer, statusesIn } from "../support/processes/raw-http.ts";
import { startTeam } from "../support/team.ts";

/**
 * "Bodies are read after credentials, role and size are known; caps on connections by address and in all, on header count, on slow
 * senders." Raw sockets send what no client would; somebody else's call is answered meanwhile.
 */

const mebibyte = 1024 * 1024;

interface Sent {
  path?: string;
  authorization?: string | null;
  length?: number;
  more?: string;
  body?: string;
}

const post = ({ path = "auth/info", authorization = null, length, more = "", body = "{}" }: Sent): string =>
  [
    `POST /latest/${path} HTTP/1.1\r\nHost: signalbox\r\nContent-Type: application/json\r\n`,
    authorization === null ? "" : `Authorization: ${authorization}\r\n`,
    `${more}Content-Length: ${length ?? body.length}\r\n\r\n${body}`,
  ].join("");

async function answered(client: RawConnection): Promise<ReturnType<typeof readAnswer>> {
  return readAnswer(await client.received(/\r\n\r\n[\s\S]/));
}

async function expectServed(port: number, apiKey: string, from?: string): Promise<void> {
  const client = await connectTo(port, from === undefined ? {} : { from });
  client.send(post({ authorization: `Bearer :${apiKey}`, more: "Connection: close\r\n" }));
  expect(readAnswer(await client.closed()).status).toBe(200);
}

/** Bytes outside of the heap, where what sockets receive is kept. */
const bytesOutside = (): number => process.memoryUsage().arrayBuffers;

/** A hundred callers who each announce 4 MiB, send half of it, and wait. */
async function sendHalves(port: number, calls: Sent[]): Promise<RawConnection[]> {
  const half = "x".repeat(2 * mebibyte);
  const clients: RawConnection[] = [];
  for (const call of calls) {
    const client = await connectTo(port);
    client.send(post({ ...call, length: 4 * mebibyte, body: `{"pad":"${half}` }));
    clients.push(client);
  }
  return clients;
}

describe("bodies are read after credentials and role are known", () => {
  test("a hundred half-sent 4 MiB bodies of callers without permission are refused, and none stays in memory", async () => {
    const team = await startTeam("sqlite");
    const viewer = await team.colleague("viewer", "viewer");
    const { owner: stranger } = await team.neighbour();
    const port = await listen(team);
    const { projectId } = team;
    const cases: [Sent, number][] = [
      [{ path: "steps/list" }, 401],
      [{ path: "steps/list", authorization: "nonsense" }, 401],
      [{ path: "tools/create", authorization: `Bearer ${projectId}:${newApiKey("us")}` }, 401],
      [{ path: "tools/create", authorization: `Bearer ${projectId}:${stranger.apiKey}` }, 404],
      [{ path: "tools/create", authorization: `Bearer ${projectId}:${viewer.apiKey}` }, 403],
      [{ path: "agents/agt_us_none/webhook/nobody" }, 404],
    ];
    const calls = Array.from({ length: 100 }, (_, index) => cases[index % cases.length] as [Sent, number]);
    const before = bytesOutside();
    const clients = await sendHalves(
      port,
      calls.map(([sent]) => sent),
    );
    const answers = [];
    for (const client of clients) answers.push((await answered(client)).status);
    expect(answers).toEqual(calls.map(([, status]) => status));
    expect(team.edge.bodies.bytesReserved()).toBe(0);
    // Kept, the halves would be 200 MiB; what is thrown away is still there until the collector comes by.
    expect(bytesOutside() - before).toBeLessThan(100 * mebibyte);
    await expectServed(port, team.owner.apiKey);
  });

  test("the body of a SCIM call without a valid token does not take memory either", async () => {
    const app = await startApp("sqlite");
    const port = await listen(app);
    const client = await connectTo(port);
    const head = `POST /scim/v2/Users HTTP/1.1\r\nHost: signalbox\r\nContent-Type: application/scim+json\r\n`;
    client.send(`${head}Content-Length: ${4 * mebibyte}\r\n\r\n{"userName":"`);
    expect((await answered(client)).status).toBe(401);
    expect(app.edge.bodies.bytesReserved()).toBe(0);
  });

  test("Expect: 100-continue gets only the refusal, or 100 once the caller is allowed", async () => {
    const app = await startApp("sqlite");
    const { apiKey } = await app.person("owner@example.com");
    const port = await listen(app);
    const asked = { more: "Expect: 100-continue\r\n", length: 2, body: "" };
    const stranger = await connectTo(port);
    stranger.send(post(asked));
    expect(statusesIn(await stranger.closed())).toEqual([401]);
    const owner = await connectTo(port);
    owner.send(post({ ...asked, authorization: `Bearer :${apiKey}` }));
    await owner.received(/^HTTP\/1\.1 100 /);
    owner.send("{}");
    expect(statusesIn(await owner.received(/user_id/))).toEqual([100, 200]);
    const page = await connectTo(port);
    page.send("POST /nowhere HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    await page.received(/^HTTP\/1\.1 100 /);
  });

  test("a body that arrives after its headers is awaited, and an early refusal keeps the connection open", async () => {
    const team = await startTeam("sqlite");
    const port = await listen(team);
    const client = await connectTo(port);
    const [head, body] = ["", JSON.stringify({ project_id: team.projectId })];
    client.send(post({ body: head, length: 2 }));
    await client.received(/credentials_missing/);
    client.send("{}");
    client.send(
      post({ path: "projects/get", authorization: `Bearer :${team.owner.apiKey}`, body, length: body.length }),
    );
    await client.received(/"project_id"/);
    const later = {
      path: "projects/get",
      authorization: `Bearer :${team.owner.apiKey}`,
      body: "",
      length: body.length,
    };
    client.send(post({ ...later, more: "Connection: close\r\n" }));
    client.send(body);
    expect(statusesIn(await client.closed())).toEqual([401, 200, 200]);
  });

  test("a caller who disconnects before the body has arrived leaves nothing behind", async () => {
    const team = await startTeam("sqlite");
    const port = await listen(team);
    const client = await connectTo(port);
    const authorization = `Bearer ${team.projectId}:${team.owner.apiKey}`;
    client.send(post({ path: "tools/create", authorization, length: mebibyte, body: "{" }));
    await until(() => team.edge.bodies.bytesReserved() === mebibyte);
    client.leave();
    await until(() => team.edge.bodies.bytesReserved() === 0);
    await expectServed(port, team.owner.apiKey);
  });
});

describe("the memory for bodies is shared fairly", () => {
  const sizes = {
    bytesMax: 64 * mebibyte,
    anonymousBytesMax: 64 * 1024,
    organizationBytesMax: 2 * mebibyte,
    addressBytesMax: 32 * 1024,
  };

  async function startSmall() {
    const app = await startApp("sqlite", { edge: { bodies: sizes } });
    const [ours, theirs] = [await app.person("ours@example.com"), await app.person("theirs@example.com")];
    const [ourProject, theirProject] = [await app.project(ours), await app.project(theirs)];
    const as = (project: string, { apiKey }: { apiKey: string }) => `Bearer ${project}:${apiKey}`;
    return { app, port: await listen(app), ours: as(ourProject, ours), theirs: as(theirProject, theirs) };
  }

  test("an organization that has used its share is asked to retry, and no other organization is", async () => {
    const { app, port, ours, theirs } = await startSmall();
    const half = async (authorization: string) => {
      const client = await connectTo(port);
      client.send(post({ path: "tools/create", authorization, length: 1.5 * mebibyte, body: "{" }));
      return client;
    };
    const first = await half(ours);
    await until(() => app.edge.bodies.bytesReserved() === 1.5 * mebibyte);
    const refused = await answered(await half(ours));
    expectProblem(refused, "rate_limited");
    expect(refused.headers["retry-after"]).toBe("1");
    const other = await half(theirs);
    await until(() => app.edge.bodies.bytesReserved() === 3 * mebibyte);
    for (const client of [first, other]) client.send(" ".repeat(1.5 * mebibyte - 1));
    for (const client of [first, other]) expect((await answered(client)).status).toBe(400);
    expect(app.edge.bodies.bytesReserved()).toBe(0);
  });

  test("strangers at one address share one, and people at other addresses can still sign in", async () => {
    const { app, port } = await startSmall();
    const half = async (from: string) => {
      const client = await connectTo(port, { from });
      client.send(post({ path: "auth/sign_in/methods", length: 30 * 1024, body: "{" }));
      return client;
    };
    await half("127.0.0.2");
    await until(() => app.edge.bodies.bytesReserved() === 30 * 1024);
    expectProblem(await answered(await half("127.0.0.2")), "rate_limited");
    await half("127.0.0.3");
    await until(() => app.edge.bodies.bytesReserved() === 60 * 1024);
    expectProblem(await answered(await half("127.0.0.4")), "unavailable");
    const whole = await connectTo(port, { from: "127.0.0.4" });
    whole.send(post({ path: "auth/sign_in/methods", body: '{"email":"a@example.com"}' }));
    expect((await answered(whole)).status).toBe(200);
  });
});

describe("connections are counted", () => {
  test("beyond the cap of one address a connection gets an error and is closed, and other addresses are served", async () => {
    const app = await startApp("sqlite", { edge: { connectionsPerAddressMax: 5 } });
    const { apiKey } = await app.person("owner@example.com");
    const port = await listen(app);
    const held = await Promise.all(Array.from({ length: 5 }, () => connectTo(port, { from: "127.0.0.2" })));
    for (const client of held) client.send("POST /latest/auth/info HTTP/1.1\r\nHost: sig");
    await until(() => app.edge.connections.open() === 5);
    const more = await connectTo(port, { from: "127.0.0.2" });
    more.send(post({ authorization: `Bearer :${apiKey}` }));
    const refused = readAnswer(await more.closed());
    expectProblem(refused, "rate_limited");
    expect(refused.headers.connection).toBe("close");
    await expectServed(port, apiKey, "127.0.0.3");
    held[0]?.leave();
    await until(() => app.edge.connections.open() < 5);
    await expectServed(port, apiKey, "127.0.0.2");
  });

  test("when all are in use a further one gets an error, and idle connections make room", async () => {
    const app = await startApp("sqlite", { edge: { connectionsMax: 3 } });
    const { apiKey } = await app.person("owner@example.com");
    const port = await listen(app);
    const resting = await connectTo(port);
    resting.send(post({ authorization: `Bearer :${apiKey}` }));
    await answered(resting);
    for (let i = 0; i < 2; i++) (await connectTo(port)).send("POST /latest/auth/info HTTP/1.1\r\nHost: sig");
    await until(() => app.edge.connections.open() === 3);
    expectProblem(readAnswer(await (await connectTo(port)).closed()), "unavailable");
    await resting.closed();
    await expectServed(port, apiKey);
  });

  test("after a flood of connections ends, none is still counted", async () => {
    const app = await startApp("sqlite", { edge: { connectionsPerAddressMax: 10 } });
    const { apiKey } = await app.person("owner@example.com");
    const port = await listen(app);
    const flood = await Promise.all(Array.from({ length: 400 }, () => connectTo(port, { from: "127.0.0.2" })));
    await expectServed(port, apiKey, "127.0.0.3");
    for (const client of flood) client.leave();
    await until(() => app.edge.connections.open() === 0);
    expect(app.edge.connections.refused()).toBe(390);
    expect(app.logged.filter((line) => line.includes("too many connections")).length).toBeLessThanOrEqual(1);
  });
});

describe("ambiguous requests are refused", () => {
  const twice = ["Host: elsewhere\r\n", "Content-Type: text/plain\r\n", "Authorization: Bearer :nobody\r\n"];
  test("a call with two Host, Content-Type or Authorization headers is 400", async () => {
    const { port, authorization } = await startListening();
    for (const more of twice) {
      const client = await connectTo(port);
      client.send(post({ authorization, more }));
      expectProblem(await answered(client), "malformed_request");
    }
    for (const path of ["/healthz", "/sign-in", "/scim/v2/Users", "/sso/start", "/oauth/callback"]) {
      const client = await connectTo(port);
      client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n`);
      expect([path, readAnswer(await client.closed()).status]).toEqual([path, 400]);
    }
  });

  test("more than a hundred headers are 431, wherever a second Authorization is among them", async () => {
    const { port, authorization } = await startListening();
    const many = Array.from({ length: 1500 }, (_, index) => `a${index}: \r\n`).join("");
    const client = await connectTo(port);
    client.send(post({ authorization, more: `${many}Authorization: Bearer :nobody\r\n` }));
    expectProblem(readAnswer(await client.closed()), "headers_too_large");
    const usual = Array.from({ length: 80 }, (_, index) => `a${index}: \r\n`).join("");
    const other = await connectTo(port);
    other.send(post({ authorization, more: usual }));
    expect((await answered(other)).status).toBe(200);
  });
});

async function startListening(): Promise<{ app: TestApp; port: number; authorization: string }> {
  const app = await startApp("sqlite");
  const { apiKey } = await app.person("owner@example.com");
  return { app, port: await listen(app), authorization: `Bearer :${apiKey}` };
}

/** Looks again and again until it has happened; a test that waits too long is ended. */
async function until(hasHappened: () => boolean): Promise<void> {
  while (!hasHappened()) await new Promise((resolve) => setImmediate(resolve));
}
