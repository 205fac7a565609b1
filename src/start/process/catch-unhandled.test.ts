import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** "No rejection of one call can end the process." */

const run = promisify(execFile);
const moduleUrl = new URL("./catch-unhandled.ts", import.meta.url).href;

/** A process with the handlers installed, in which an error is not caught. */
async function fall(accident: string): Promise<{ code: number; said: string[] }> {
  const program = `
    import { catchUnhandled } from ${JSON.stringify(moduleUrl)};
    const say = (...words) => console.log(...words);
    const log = { error: (line, text) => say("log", line.err?.message, text) };
    catchUnhandled({ log, count: (what) => say("count", what), stop: (code) => { say("stop", code); process.exit(code); } });
    ${accident}
    setTimeout(() => { say("continued"); }, 50);
  `;
  const args = ["--no-warnings", "--input-type=module-typescript", "-e", program];
  const ended = await run(process.execPath, args).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  return { code: ended.code, said: ended.stdout.trim().split("\n") };
}

test("an unhandled rejection is logged and counted, and the process continues", async () => {
  const { code, said } = await fall(`Promise.reject(new RangeError("Invalid string length"));`);
  expect(said).toEqual([
    "count rejection",
    "log Invalid string length an unhandled rejection: the process continues",
    "continued",
  ]);
  expect(code).toBe(0);
});

test("an uncaught exception is logged and counted, and the process stops with code 1", async () => {
  const { code, said } = await fall(`setImmediate(() => { throw new Error("in a timer"); });`);
  expect(said).toEqual(["count exception", "log in a timer an uncaught exception: the process stops", "stop 1"]);
  expect(code).toBe(1);
});
