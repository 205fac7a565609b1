import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { youngGeneration } from "../../test/support/processes/server-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, "utf8");

// Loaded into every Node that is started. Only the one that serves says with which options it runs, and as which process.
const sayOptions = `data:text/javascript,if (/src.cli.signalbox.ts$/.test(process.argv[1])) { console.log("options:", ...process.execArgv); console.log("process:", process.pid); process.exit(); }`;
const asOlderNode = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } })`;

async function startWith(program: string, args: string[]): Promise<{ options: string[]; isOneProcess: boolean }> {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, NODE_OPTIONS: `--import=${JSON.stringify(sayOptions)}` };
  const child = spawn(program, [...args, "serve"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const printed = await text(child.stdout);
  const [, options = ""] = /^options: (.*)$/m.exec(printed) ?? [];
  return { options: options.split(" "), isOneProcess: printed.includes(`process: ${child.pid}\n`) };
}

// "No pause exceeds 50 ms": V8 collects a small young generation more often, and each time stops the server for less.
test.each([
  ["./signalbox", `${root}signalbox`, []],
  ["npx signalbox", process.execPath, [`${root}bin/signalbox.js`]],
  ["npx signalbox with an older Node", process.execPath, ["--import", asOlderNode, `${root}bin/signalbox.js`]],
  ["npm start", "/bin/sh", ["-c", JSON.parse(read("package.json")).scripts.start]],
])("%s starts the server with a small young generation", async (_, program, args) => {
  expect((await startWith(program, args)).options).toContain(youngGeneration);
});

// "`kill -9` of the wrapper … does not leave a server behind": where there is no wrapper, a kill ends the server itself.
test("./signalbox becomes the server, and leaves no process in between", async () => {
  expect((await startWith(`${root}signalbox`, [])).isOneProcess).toBe(true);
});

// As a shell does: a supervisor must not take a server that was killed for one that was stopped.
test.each([
  ["SIGTERM", 143],
  ["SIGKILL", 137],
] as const)("a wrapper whose server ends by %s ends with %i", async (signal, expected) => {
  const killOneself = `data:text/javascript,if (/src.cli.signalbox.ts$/.test(process.argv[1])) process.kill(process.pid, "${signal}");`;
  const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import=${JSON.stringify(killOneself)}` };
  const wrapper = spawn(process.execPath, ["--import", asOlderNode, `${root}bin/signalbox.js`, "serve"], { env });
  const [code] = await once(wrapper, "close");
  expect(code).toBe(expected);
});

test("so do the image and the systemd unit", () => {
  expect(read("Dockerfile")).toContain(`exec node ${youngGeneration} /app/src/cli/signalbox.ts`);
  expect(read("deploy/systemd/signalbox.service")).toMatch(/^ExecStart=\/opt\/signalbox\/signalbox serve$/m);
});
