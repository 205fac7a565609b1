import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFailed, test } from "vitest";
import { steps, systemIds } from "../../src/systems/index.ts";
import { answerBytesMax } from "../../src/transport/read-answer.ts";
import { answers, completions } from "./support/hostile/answers.ts";
import { longestOf, millisecondsMax, pauseOf, stillnessOf } from "./support/hostile/pause.ts";
import { growths, type RogueSystem, serveRogue, startRogueSystem } from "./support/hostile/rogue-systems.ts";
import { type HostileWorld, openHostileWorld } from "./support/hostile/world.ts";

/**
 * "No external system can stop, slow down, crash or watch another's work": nothing that it answers may take more than 50 ms of the event
 * loop. Anybody may connect an account of a server of their own, which answers as much as it may, in every form that takes
 * time to read, to clean, to keep and to show, while another tenant calls.
 */

/** The same all day, and another one tomorrow: of each place, some of the forms and sizes. */
const seed = Number(process.env.SIGNALBOX_HOSTILE_SEED ?? Math.floor(Date.now() / 86_400_000));
/** One of four is as large as it may be; what takes more than linear time shows in the others too. */
const largestBytes = answerBytesMax - 64 * 1024;
const bytesOf = (turn: number): number => Math.floor(turn % 4 === 0 ? largestBytes : largestBytes / 8);

let world: HostileWorld;
let plain: Awaited<ReturnType<typeof serveRogue>>;
let rogues: RogueSystem[];
let bytes = 0;

// All tests share it: to start it takes longer than one of them.
beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  plain = await serveRogue();
  rogues = await Promise.all(systemIds.map((system) => startRogueSystem(system, () => bytes)));
  const origins = [plain, ...rogues].map(({ origin }) => origin).join(",");
  world = await openHostileWorld(home, { SIGNALBOX_PRIVATE_HOSTS_STEPS: origins });
  await world.measure();
  return async () => {
    await world.close();
    await Promise.all([plain, ...rogues].map((each) => each.close()));
    rmSync(home, { recursive: true, force: true });
  };
}, 120_000);

const repeatable = () => onTestFailed(() => console.error(`Repeat it with SIGNALBOX_HOSTILE_SEED=${seed}.`));
const print = (lines: string[]) => process.env.SIGNALBOX_HOSTILE_SEED !== undefined && console.log(lines.join("\n"));

/** Received, and not parsed here as well: its status, and how a short answer begins. */
async function receive(operation: string, body: object): Promise<string> {
  const path = `/latest/${operation}`;
  const { status, text } = await world.exchange({
    ...{ method: "POST", path, headers: world.headers, body: JSON.stringify(body) },
  });
  return `${status} ${text.slice(0, 200)}`;
}

test("no response of a system blocks the event loop for others, whatever it contains", {
  timeout: 900_000,
}, async () => {
  repeatable();
  const wish = { system: "deployment", instance: plain.origin, credentials: { token: "rogue-token" } };
  const { connection_id } = (await world.call("connections/connect", wish)).body;
  const run = { connection_id, input: { method: "GET", path: "/v9/projects/web" } };
  const found: string[] = [];
  // Every other one today, and the rest tomorrow.
  const today = Object.entries(answers).filter((_, index) => (index + seed) % 2 === 0);
  for (const [index, [name, make]] of today.entries()) {
    plain.answer = { status: index % 3 === 2 ? 400 : 200, body: make(bytesOf(index + Math.floor(seed / 2))) };
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
    const show = () => receive(`runs/${runId}/get`, {});
    const read = () => receive(`runs/${runId}/output`, { handle: "/output" });
    if ((await longestOf(world, () => Promise.all([show(), read()]))) <= millisecondsMax) continue;
    await measure("shown", show);
    await measure("read", read);
  }
  expect(found).toEqual([]);
});

interface Asked {
  name: string;
  operation: string;
  body: object;
  /** The first answers that are ordinary. */
  from?: number;
}

/** Everything of ours that reads an answer itself: each sign-in, check, step and drop-down. */
function* askedOf({ system, origin: instance, credentials }: RogueSystem, connection_id: string): Generator<Asked> {
  const wish = { system, instance, credentials };
  for (const from of [0, 1, 2]) yield { name: `sign-in from answer ${from} on`, ...connect(wish), from };
  yield { name: "check", operation: `connections/${connection_id}/check`, body: {}, from: 1 };
  for (const step of steps.filter((each) => each.system.id === system)) {
    const { input = {} } = step.examples[seed % step.examples.length] ?? {};
    yield { name: step.id, operation: `steps/${step.id}/run`, body: { connection_id, input } };
    for (const field of Object.keys(step.options ?? {})) {
      const body = { connection_id, field, query: "", input };
      yield { name: `${step.id}, values of ${field}`, operation: `steps/${step.id}/options`, body };
    }
  }
  yield { name: "list of accounts", operation: "connections/list", body: { limit: 100 } };
}

const connect = (body: object) => ({ operation: "connections/connect", body });

test("no system blocks the event loop for others with lists and texts that never end", {
  timeout: 900_000,
}, async () => {
  repeatable();
  const [found, times]: [string[], string[]] = [[], []];
  const kinds = Object.entries(growths);
  let count = 0;
  for (const rogue of rogues) {
    const { system, origin: instance, credentials } = rogue;
    const { connection_id = "" } = (await world.call("connections/connect", { system, instance, credentials })).body;
    expect([system, connection_id]).toEqual([system, expect.stringContaining("con_us_")]);
    for (const { name, operation, body, from = 0 } of askedOf(rogue, connection_id)) {
      const [kind = "", growth = null] = kinds[(count + seed) % kinds.length] ?? [];
      bytes = bytesOf(Math.floor((count + seed) / kinds.length));
      count++;
      let answer = "";
      const act = async () => {
        rogue.grow(growth, from);
        answer = await receive(operation, body);
        rogue.grow(null);
      };
      const isWrong = () => /^(?:0|500) /.test(answer);
      const what = `${system}, ${name}, ${kind}, ${bytes} bytes`;
      const { milliseconds, neighbourStatus } = await stillnessOf(world, act);
      times.push(`${milliseconds} ms: ${what}: ${answer}`);
      if (neighbourStatus === 200 && milliseconds <= millisecondsMax && !isWrong()) continue;
      const pause = await pauseOf(world, act);
      if (pause !== null || isWrong()) found.push(`${pause ?? answer}: ${what}`);
    }
  }
  print(times);
  expect(found).toEqual([]);
});

test("no model blocks the event loop for others, whatever it answers", { timeout: 900_000 }, async () => {
  const [found, ends]: [string[], string[]] = [[], []];
  const wish = { name: "A short agent", max_turns: 2, tools: [world.values.tool_id] };
  const { agent_id } = (await world.call("agents/create", wish)).body;
  for (const [name, completion] of Object.entries(completions)) {
    world.model.says(completion());
    let end = "";
    const pause = await pauseOf(world, async () => {
      const { body } = await world.call(`agents/${agent_id}/trigger`, { message: "Hello" });
      const isAtWork = ({ status }: Record<string, string>) => status === "queued" || status === "running";
      let run = body;
      while (isAtWork(run)) run = (await world.call(`runs/${body.run_id}/get`, {})).body;
      end = `${run.status} ${JSON.stringify(run.waiting_for ?? run.problem ?? "")}`;
      if (run.status === "waiting") await world.call(`runs/${body.run_id}/cancel`, {});
    });
    ends.push(`${name}: ${end.slice(0, 300)}`);
    if (pause !== null) found.push(`${pause}: ${name}`);
  }
  world.model.says(null);
  print(ends);
  expect(found).toEqual([]);
  // What is too much is an answer that cannot be read, and no crash.
  expect(ends.map((end) => /: (\w+)/.exec(end)?.[1])).toEqual(["waiting", "waiting", "failed", "succeeded", "waiting"]);
});
