import { PassThrough, Readable } from "node:stream";
import { runCommandLine } from "../../../src/cli/command-line.ts";
import { inTerminal, type Terminal } from "../../../src/cli/terminal/terminal.ts";
import type { Finished } from "./command.ts";

export interface TerminalOptions {
  /** What is typed, or comes through a pipe. */
  input?: string;
  /** A terminal of this width, instead of pipes. */
  columns?: number;
  /** Called with all of standard error so far, whenever there is more. */
  onError?: (text: string) => void;
}

/** The command in this process, with streams and variables of its own: starting Node for each would take most of the time. */
export async function commandLine(
  args: readonly string[],
  environment: Record<string, string> = {},
  { input = "", columns, onError }: TerminalOptions = {},
): Promise<Finished> {
  const isTTY = columns !== undefined;
  const stream = () => Object.assign(new PassThrough(), { isTTY, ...(columns === undefined ? {} : { columns }) });
  const [stdout, stderr] = [stream(), stream()];
  const said = { stdout: "", stderr: "" };
  stdout.setEncoding("utf8").on("data", (text) => {
    said.stdout += text;
  });
  stderr.setEncoding("utf8").on("data", (text) => {
    said.stderr += text;
    onError?.(said.stderr);
  });
  const stdin = Object.assign(Readable.from(input === "" ? [] : [input]), { isTTY });
  const terminal: Terminal = { environment, stdin, stdout, stderr, exitCode: 0 };
  await inTerminal(terminal, () => runCommandLine(args));
  // Streams hand on what they have in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  return { code: terminal.exitCode, ...said };
}
