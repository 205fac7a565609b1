import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { widthOfText } from "../../../src/cli/terminal/fit-text.ts";
import { cleanUpLater, temporaryFolder } from "../stores.ts";

/** util-linux's `script` is part of every Debian; elsewhere these tests are skipped. */
export const hasPseudoTerminal = spawnSync("script", ["--version"]).status === 0 && existsSync("/dev/ptmx");
if (!hasPseudoTerminal) console.log("Tests: there is no script(1), so nothing is shown in a real terminal.");

const columns = 80;
const patienceMilliseconds = 180_000;

export interface Seen {
  code: number | null;
  /** Without colors and movements of the cursor, but for carriage returns. */
  text: string;
}

interface Options {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Sees all text whenever there is more, and may type. */
export type OnText = (text: string, type: (keys: string) => void) => void;

/** The command in a real terminal of 80 columns, until it ends. */
export function inPseudoTerminal(command: string, options: Options, onText: OnText = () => {}): Promise<Seen> {
  const child = spawnInTerminal(command, options);
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    raw += chunk;
    onText(stripVTControlCharacters(raw), (keys) => child.stdin.write(keys));
  });
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${command} did not end:\n${raw}`));
    }, patienceMilliseconds);
    child.once("close", (code) => {
      clearTimeout(late);
      resolve({ code, text: stripVTControlCharacters(raw) });
    });
  });
}

function spawnInTerminal(command: string, { cwd, env }: Options) {
  const size = `stty cols ${columns} rows 24`;
  return spawn("script", ["-qec", `${size}; ${command}`, "/dev/null"], {
    cwd,
    env: { TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Commands one after the other in one real terminal, and in one process: starting Node for each would take most of the time. */
export async function openTerminal(env: NodeJS.ProcessEnv) {
  const address = join(temporaryFolder(), "commands");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const session = new URL("terminal-session.ts", import.meta.url).pathname;
  const command = `"${process.execPath}" "${session}" "${address}"`;
  const child = spawnInTerminal(command, { cwd: process.cwd(), env: { PATH: process.env.PATH, ...env } });
  cleanUpLater(async () => {
    child.kill("SIGKILL");
    server.close();
  });
  let raw = "";
  let look = () => {};
  let closed = () => {};
  child.once("close", () => closed());
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    raw += chunk;
    look();
  });
  const socket = await connected;
  return {
    async run(args: readonly string[], onText: OnText = () => {}): Promise<Seen> {
      raw = "";
      socket.write(`${JSON.stringify(args)}\n`);
      return new Promise((resolve, reject) => {
        closed = () => reject(new Error(`The terminal was closed:\n${raw}`));
        look = () => {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the session marks the end with it.
          const [end, code] = /\u0001(\d+)\u0001/.exec(raw) ?? [];
          if (end !== undefined) return resolve({ code: Number(code), text: plain(raw.replace(end, "")) });
          onText(plain(raw), (keys) => child.stdin.write(keys));
        };
      });
    },
  };
}

const plain = (raw: string): string => stripVTControlCharacters(raw);

/**
 * Lines that the terminal had to wrap. What people copy, such as an address or a key, stays whole: it may be too long if
 * nothing but its name stands on its line.
 */
export const wrappedLines = (text: string): string[] =>
  text.split(/\r*\n|\r/).filter((line) => widthOfText(line) > columns && !/^\s*(\w+ {2,})?\S+$/.test(line));
