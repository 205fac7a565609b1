import { expect, test } from "vitest";
import { answerBytesMax } from "../../src/transport/read-answer.ts";
import { serve } from "../support/local-servers.ts";
import { longestOf, millisecondsMax, pauseOf } from "./support/hostile/pause.ts";
import { startHostileWorld } from "./support/hostile/start-world.ts";
import { shapes, textOf } from "./support/hostile/values.ts";

/**
 * "Nothing that an external system chooses may take more than 50 ms of the event loop." A system answers as much as it may, in
 * every form that takes time to read, to clean, to keep and to show, while another tenant calls.
 */

/** One of four is as large as it may be, chosen by the seed; what takes more than linear time shows in the others too. */
const largestBytes = answerBytesMax - 4096;
const fewerBytes = largestBytes / 8;
const seed = Number(process.env.SIGNALBOX_HOSTILE_SEED ?? 1);

const rows =
  (row: string) =>
  (bytes: number): string =>
    `[${`${row},`.repeat(Math.floor(bytes / (row.length + 1)) - 1)}${row}]`;

const textOfBytes = (unit: string) => (bytes: number) => {
  const bytesEach = Buffer.byteLength(JSON.stringify(unit)) - 2;
  return JSON.stringify(textOf(unit, (bytes / bytesEach) * unit.length));
};

const answers: Record<string, (bytes: number) => string> = {
  ...shapes,
  people: rows(
    '{"id":1234567,"email":"somebody@example.com","updatedAt":"2026-01-01T00:00:00Z","url":"https://a/?b=c"}',
  ),
  "rows of a report": rows('{"dimensionValues":[{"value":"20260101"}],"metricValues":[{"value":"12"}]}'),
  "very short texts": rows('":"'),
  "fields of secrets": rows('{"password":"x","token":["y"]}'),
  "texts like keys": rows('"Bearer sbk_us_abcdef"'),
  "half a token without end": textOfBytes("eyJ-"),
  "fields within a text": textOfBytes("access_token=x "),
  "quotes within a text": textOfBytes('password="\\'),
};

const signIn: Record<string, unknown> = {
  "/v2/user": { user: { id: "u_1", email: "rogue@example.com", username: "rogue" } },
  "/v2/teams": { teams: [] },
};

test("no response of a system blocks the event loop for others, whatever it contains", {
  timeout: 900_000,
}, async () => {
  let answer = { status: 200, body: "{}" };
  const origin = await serve((request, response) => {
    const known = signIn[(request.url ?? "").replace(/\?.*/, "")];
    response.writeHead(known ? 200 : answer.status, { "content-type": "application/json" });
    response.end(known ? JSON.stringify(known) : answer.body);
  });
  const world = await startHostileWorld({ SIGNALBOX_PRIVATE_HOSTS_STEPS: origin });
  const wish = { system: "deployment", instance: origin, credentials: { token: "rogue-token" } };
  const { body: connected } = await world.call("connections/connect", wish);
  const run = { connection_id: connected.connection_id, input: { method: "GET", path: "/v9/projects/web" } };
  const found: string[] = [];
  for (const [index, [name, make]] of Object.entries(answers).entries()) {
    const bytes = Math.floor((index + seed) % 4 === 0 ? largestBytes : fewerBytes);
    answer = { status: index % 3 === 2 ? 400 : 200, body: make(bytes) };
    let runId = "";
    const measure = async (what: string, call: () => Promise<unknown>): Promise<void> => {
      const pause = await pauseOf(world, call);
      if (pause !== null) found.push(`${pause}: ${name}, ${what}`);
    };
    await measure("answered", async () => {
      const { status, body } = await world.call("steps/deployment_api_call/run", run);
      expect([name, status]).toEqual([name, 200]);
      runId = body.run_id ?? "";
    });
    // Received, and not parsed here as well.
    const receive = (path: string, body: object) =>
      world.send({
        method: "POST",
        path: `/latest/runs/${runId}/${path}`,
        headers: world.headers,
        body: JSON.stringify(body),
      });
    const show = () => receive("get", {});
    const read = () => receive("output", { handle: "/output" });
    if ((await longestOf(world, () => Promise.all([show(), read()]))) <= millisecondsMax) continue;
    await measure("shown", show);
    await measure("read", read);
  }
  expect(found).toEqual([]);
});
