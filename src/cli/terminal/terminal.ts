import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable, Writable } from "node:stream";
import { foldedLines } from "./fit-text.ts";

/** Where a command reads and writes. Tests give their own; otherwise it is the process. */
export interface Terminal {
  environment: NodeJS.ProcessEnv;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  exitCode: number;
}

const injected = new AsyncLocalStorage<Terminal>();

const ofProcess: Terminal = {
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  get exitCode() {
    return Number(process.exitCode ?? 0);
  },
  set exitCode(code) {
    process.exitCode = code;
  },
};

export const terminal = (): Terminal => injected.getStore() ?? ofProcess;

export const inTerminal = <T>(given: Terminal, work: () => Promise<T>): Promise<T> => injected.run(given, work);

export const writeLine = (text: string): void => void terminal().stdout.write(`${text}\n`);

/** For people: progress, hints and refusals. Standard output stays clean for programs. */
export const writeNote = (text: string): void => {
  const { stderr } = terminal();
  stderr.write(`${foldedLines(text, widthOf(stderr)).join("\n")}\n`);
};

const columnsOfOldTerminals = 80;

/** How many characters fit on a line; null where a program reads. */
export function widthOf(stream: Terminal["stdout"]): number | null {
  if (!stream.isTTY) return null;
  const { environment } = terminal();
  return stream.columns || Number(environment.COLUMNS) || columnsOfOldTerminals;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
export type Colour = keyof typeof codes;

/** "Colours off without a terminal", and where NO_COLOR asks for it (no-color.org). */
export function coloured(text: string, colour: Colour | null, stream = terminal().stdout): string {
  const { NO_COLOR: off, TERM: kind } = terminal().environment;
  if (colour === null || !stream.isTTY || (off !== undefined && off !== "") || kind === "dumb") return text;
  return `\u001b[${codes[colour]}m${text}\u001b[0m`;
}
