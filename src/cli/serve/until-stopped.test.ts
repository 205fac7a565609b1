import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** A process that loads this and does this. */
const start = (name: string, program: string) =>
  spawn(
    process.execPath,
    ["--input-type=module", "-e", `const { ${name} } = await import("./src/cli/serve/until-stopped.ts"); ${program}`],
    { stdio: ["ignore", "pipe", "pipe"] },
  );

/** A process whose server stops as `stop` says, after a signal. Returns how it ended and the lines that it logged. */
async function stopProcess(
  stop: string,
  secondsMax?: number,
): Promise<{ code: number | null; logged: { level: number; msg: string }[] }> {
  const program = `
    const { createLogs } = await import("./src/kernel/log.ts");
    const running = { stop: ${stop}, countUncaught() {} };
    untilStopped(running, { logs: createLogs("info", process.stdout), flush() {} }, null, ${secondsMax});
    setInterval(() => {}, 1000);
    process.stderr.write("ready");`;
  const child = start("untilStopped", program);
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const ended = once(child, "close");
  await once(child.stderr, "data");
  child.kill("SIGTERM");
  const [code] = await ended;
  return {
    code,
    logged: printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  };
}

test("a server that stops cleanly ends with 0, or with the code that it returns", async () => {
  expect(await stopProcess("async () => {}")).toMatchObject({ code: 0 });
  expect(await stopProcess("async () => 3")).toMatchObject({ code: 3 });
});

test("a stop that fails is logged, and the process ends with 1", async () => {
  const { code, logged } = await stopProcess('async () => { throw new Error("no stop") }');
  expect(code).toBe(1);
  expect(logged.at(-1)).toMatchObject({
    level: 50,
    msg: "the server could not stop cleanly",
    err: { message: "no stop" },
  });
});

// "SIGTERM ends within its limit." Its parts may wait for a database that does not respond.
test("a stop that never ends is logged, and the process ends with 1", async () => {
  const { code, logged } = await stopProcess("() => new Promise(() => {})", 0.05);
  expect(code).toBe(1);
  expect(logged.at(-1)).toMatchObject({ level: 50, msg: expect.stringContaining("did not stop in time") });
});

// "The error is printed and the process stays; a supervisor sees it running."
test("a start that failed ends with its code, though something of it never ends", async () => {
  const child = start("endAfterFailure", "process.exitCode = 4; endAfterFailure(0.05); setInterval(() => {}, 1000);");
  const noted = text(child.stderr);
  expect(await once(child, "close")).toEqual([4, null]);
  expect(await noted).toBe("signalbox: what the start had opened did not close in time\n");
});
