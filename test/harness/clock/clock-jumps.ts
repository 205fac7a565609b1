import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../kill-loop/random.ts";
import { createCaller } from "../../support/processes/http-caller.ts";
import { CannotRun, type Findings, type Harness, type HarnessOptions } from "../frame/harness.ts";
import { pause, World } from "../load/world.ts";
import { Writers } from "../load/writers.ts";

const [hour, day] = [3600, 86_400];
/** Where the clock stands after a jump, in seconds from the right time. */
const offsets = [hour, -hour, 400 * day, -400 * day, 3650 * day, -3650 * day, 0];
const runSecondsMax = { full: 30, short: 200 };

export const clockJumps: Harness = {
  id: "H4",
  name: "clock",
  title: "the wall clock of the server jumps by an hour, by 400 days and by ten years, both ways, under load",
  needs: ["faketime"],
  stores: ["sqlite", "postgres"],
  fullCycles: 28,
  shortCycles: 2,
  shortTest: "test/harness/clock/clock-jumps.test.ts",
  run,
};

/** Where Debian keeps the library that changes what a program reads from the clock. */
function findLibrary(): string {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib").map((name) => join("/usr/lib", name)) : [];
  const found = folders.map((folder) => join(folder, "faketime/libfaketimeMT.so.1")).find((path) => existsSync(path));
  if (found === undefined) throw new CannotRun("this machine lacks libfaketime");
  return found;
}

async function run(options: HarnessOptions): Promise<Findings> {
  const { cycles, seed, folder, log } = options;
  const clock = join(folder, "clock");
  const setClock = (seconds: number): void => writeFileSync(clock, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  setClock(0);
  const world = await World.of(options, {
    LD_PRELOAD: findLibrary(),
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    // As on a real machine: only the wall clock jumps.
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // They count on, above what these clients need: a jump must lock nobody out.
    SIGNALBOX_RATE_LIMITS: "default=6000/60,write=6000/60,invite=6000/60,run=6000/60",
  });
  const random = seededRandom(seed);
  const broken: string[] = [];
  const recoverySeconds: number[] = [];
  let [done, lost, doubled] = [0, 0, 0];
  await world.start();
  const writers = new Writers(world, seed, { clients: 4 });
  try {
    const judge = await startProbes(world, options.isShort ? runSecondsMax.short : runSecondsMax.full);
    for (; done < cycles && broken.length === 0; done++) {
      const offset = offsets[Math.floor(random() * offsets.length)] ?? 0;
      let isOver = false;
      const load = writers.until(() => isOver);
      await pause(100);
      setClock(offset);
      const jumpedAt = performance.now();
      await pause(200);
      isOver = true;
      await load;
      broken.push(...(await judge(offset)).map((sentence) => `At ${offset} s: ${sentence}`));
      recoverySeconds.push((performance.now() - jumpedAt) / 1000);
      const verdict = await world.open((store) => writers.judge(store));
      broken.push(...writers.broken, ...verdict.broken, ...(await world.flaws()));
      lost += verdict.lost;
      doubled += verdict.doubled;
      if (world.server.ownEnd() !== null) broken.push(`The server ended: ${world.server.ownEnd()}`);
      if ((done + 1) % 7 === 0) log(`${done + 1} jumps`);
    }
  } finally {
    writers.close();
    await world.kill();
  }
  const [acknowledged, unknown] = [writers.count("acknowledged"), writers.count("unknown")];
  return { cycles: done, faults: done, acknowledged, lost, doubled, unknown, recoverySeconds, broken };
}

/** After each jump: a key is known again within its day, a run starts and ends, nobody is locked out. */
async function startProbes(world: World, secondsMax: number): Promise<(offset: number) => Promise<string[]>> {
  const { first, port } = world;
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const caller = createCaller(port);
  const call = (operation: string, body: object = {}, headers: Record<string, string> = {}) =>
    caller.call(operation, body, { authorization, ...headers });
  const steps = [{ name: "rest", step: "wait", input: { seconds: 0 } }];
  const tool = await call("tools/create", { title: "Rests", params_schema: { type: "object" }, steps });
  if (tool.status !== 200) throw new Error(`The tool was refused: ${tool.text}`);
  let last: { key: string; text: string; offset: number } | null = null;
  let count = 0;
  return async (offset) => {
    const wrong: string[] = [];
    if (last !== null && Math.abs(last.offset - offset) < 2 * hour) {
      const again = await call("auth/keys/create", { label: last.key }, { "idempotency-key": last.key });
      // The response has a secret, so it is kept for an hour only.
      const isGone = offset - last.offset >= hour && again.body.code === "idempotency_answer_gone";
      if (!isGone && again.text !== last.text)
        wrong.push(`The repeat of ${last.key} got ${again.text}, not ${last.text}`);
    }
    const key = `once-${count++}`;
    const made = await call("auth/keys/create", { label: key }, { "idempotency-key": key });
    if (made.status !== 200) wrong.push(`A keyed write got ${made.status} ${made.text}`);
    last = { key, text: made.text, offset };
    const started = await call(`tools/${tool.body.tool_id}/trigger_async`, { params: {} });
    if (started.status >= 300) return [...wrong, `A run was refused: ${started.text}`];
    const read = () => call(`runs/${started.body.run_id}/get`).then(({ body }) => String(body.status));
    const status = await endOf(read, secondsMax);
    if (status !== "succeeded") wrong.push(`A run is ${status} after ${secondsMax} s.`);
    return wrong;
  };
}

async function endOf(read: () => Promise<string>, secondsMax: number): Promise<string> {
  const startedAt = performance.now();
  for (;;) {
    const status = await read();
    if (!["queued", "running", "waiting"].includes(status)) return status;
    if (performance.now() - startedAt > secondsMax * 1000) return status;
    await pause(100);
  }
}
