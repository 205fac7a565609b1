import { expect, onTestFailed, test } from "vitest";
import { steps, systemIds } from "../../src/systems/index.ts";
import { answerBytesMax } from "../../src/transport/read-answer.ts";
import { millisecondsMax, pauseOf, stillnessOf } from "./support/hostile/pause.ts";
import { growths, type RogueSystem, startRogueSystem } from "./support/hostile/rogue-systems.ts";
import { startHostileWorld } from "./support/hostile/start-world.ts";

/**
 * "No external system can stop, slow down, crash or watch another's work." Anybody may connect an account of a server of their own. It
 * answers as the system does, but with lists and texts as long as an answer may be. Everything of ours that reads such an answer is asked
 * to: each sign-in, check, step and drop-down.
 */

const largestBytes = answerBytesMax - 64 * 1024;
const seed = Number(process.env.SIGNALBOX_HOSTILE_SEED ?? Math.floor(Date.now() / 86_400_000));
const kinds = Object.entries(growths);

const completionOf = (message: object): string =>
  JSON.stringify({
    ...{ id: "chatcmpl-1", object: "chat.completion", model: "silent", created: 1_730_000_000 },
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "", ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
const callOf = (id: number, text: string) => ({
  id: `${id}`,
  type: "function",
  function: { name: "a", arguments: text },
});

/** What a model can answer too much of. */
const completions: Record<string, () => string> = {
  "100,000 calls": () =>
    completionOf({ tool_calls: Array.from({ length: 100_000 }, (_, index) => callOf(index, "{}")) }),
  "arguments 500,000 deep": () => completionOf({ tool_calls: [callOf(1, "[".repeat(500_000) + "]".repeat(500_000))] }),
  "arguments of 300,000 values": () => completionOf({ tool_calls: [callOf(1, `[${"0,".repeat(300_000)}0]`)] }),
  "a long text": () => completionOf({ content: "<a/>".repeat(450_000) }),
  "ten megabytes": () => completionOf({ content: "x".repeat(10_000_000) }),
};

interface Asked {
  name: string;
  rogue: RogueSystem;
  operation: string;
  body: object;
  /** The first answers that are ordinary. */
  from?: number;
}

test("no system blocks the event loop for others, however much it answers", { timeout: 900_000 }, async () => {
  onTestFailed(() => console.error(`Repeat it with SIGNALBOX_HOSTILE_SEED=${seed}.`));
  let bytes = 0;
  const rogues = await Promise.all(systemIds.map((system) => startRogueSystem(system, () => bytes)));
  const origins = rogues.map(({ origin }) => origin).join(",");
  const world = await startHostileWorld({ SIGNALBOX_PRIVATE_HOSTS_STEPS: origins });
  const found: string[] = [];
  const times: [number, string][] = [];
  let count = 0;
  const ask = async ({ name, rogue, operation, body, from = 0 }: Asked): Promise<void> => {
    const [kind = "", growth = null] = kinds[(count + seed) % kinds.length] ?? [];
    const isLargest = Math.floor((count + seed) / kinds.length) % 4 === 0;
    count++;
    bytes = isLargest ? largestBytes : largestBytes / 8;
    let answer = "";
    const act = async () => {
      rogue.grow(growth, from);
      const path = `/latest/${operation}`;
      const sent = { method: "POST", path, headers: world.headers, body: JSON.stringify(body) };
      const { status, text } = await world.exchange(sent);
      answer = `${status} ${text.slice(0, 200)}`;
      rogue.grow(null);
    };
    const { milliseconds, neighbourStatus } = await stillnessOf(world, act);
    times.push([milliseconds, `${name}, ${kind}${isLargest ? ", largest" : ""}: ${answer}`]);
    const isWrong = () => /^(?:0|500) /.test(answer);
    if (neighbourStatus === 200 && milliseconds <= millisecondsMax && !isWrong()) return;
    const pause = await pauseOf(world, act);
    if (pause !== null || isWrong()) found.push(`${pause ?? answer}: ${name}, ${kind}, ${bytes} bytes`);
  };

  for (const rogue of rogues) {
    const { system, origin: instance, credentials } = rogue;
    const wish = { system, instance, credentials };
    const { body: connected } = await world.call("connections/connect", wish);
    const connection_id = connected.connection_id;
    expect([system, connection_id]).toEqual([system, expect.stringContaining("con_us_")]);
    for (const from of [0, 1, 2]) {
      const name = `${system}, sign-in from answer ${from} on`;
      await ask({ name, rogue, operation: "connections/connect", body: wish, from });
    }
    await ask({ name: `${system}, check`, rogue, operation: `connections/${connection_id}/check`, body: {}, from: 1 });
    for (const step of steps.filter((each) => each.system.id === system)) {
      const operation = `steps/${step.id}`;
      for (const { title, input } of step.examples)
        await ask({
          name: `${step.id}, ${title}`,
          rogue,
          operation: `${operation}/run`,
          body: { connection_id, input },
        });
      for (const field of Object.keys(step.options ?? {})) {
        const body = { connection_id, field, query: "", input: step.examples[0]?.input ?? {} };
        await ask({ name: `${step.id}, values of ${field}`, rogue, operation: `${operation}/options`, body });
      }
    }
    await ask({ name: `${system}, list of accounts`, rogue, operation: "connections/list", body: { limit: 100 } });
  }
  for (const [name, completion] of Object.entries(completions)) {
    let answer = "";
    const pause = await pauseOf(world, async () => {
      world.model.says(completion());
      const { body } = await world.call(`agents/${world.values.agent_id}/trigger`, { message: "Hello" });
      const read = () => world.call(`runs/${body.run_id}/get`, {});
      const isAtWork = ({ status }: Record<string, string>) => status === "queued" || status === "running";
      let run = body;
      while (isAtWork(run)) run = (await read()).body;
      answer = `${run.status} ${JSON.stringify(run.waiting_for ?? run.problem ?? "").slice(0, 200)}`;
      world.model.says(null);
      if (run.status === "waiting") await world.call(`runs/${body.run_id}/cancel`, {});
    });
    times.push([0, `a model, ${name}: ${answer}`]);
    if (pause !== null) found.push(`${pause}: a model, ${name}`);
  }
  if (process.env.SIGNALBOX_HOSTILE_SEED !== undefined)
    for (const [milliseconds, name] of times.sort((a, b) => b[0] - a[0])) console.log(milliseconds, name);
  expect(found).toEqual([]);
});
