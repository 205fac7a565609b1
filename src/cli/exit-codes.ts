import { terminal, writeNote } from "./terminal/terminal.ts";

/** "Exit codes: 0 done, 1 a run ended badly, 2 usage, 3 refused, 4 unreachable." */
export const exitCodes = { done: 0, endedBadly: 1, usage: 2, refused: 3, unreachable: 4 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A refusal on the command line: what is wrong, and what to do about it. */
export class CommandRefused extends Error {
  readonly exitCode: ExitCode;
  /** The problem for programs, where there is more to it than the sentence. */
  readonly problem: Record<string, unknown> | null;

  constructor(message: string, exitCode: ExitCode = exitCodes.usage, problem: Record<string, unknown> | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.problem = problem;
  }
}

const codeWords: Record<number, string> = { 1: "failed", 2: "usage", 3: "refused", 4: "unreachable" };

/** The sentence for people, or with `--json` the problem, on standard error. */
export function reportRefusal(refused: CommandRefused, asJson: boolean): void {
  terminal().exitCode = refused.exitCode;
  if (!asJson) {
    writeNote(`signalbox: ${refused.message}`);
    return;
  }
  const [detail = "", ...remedy] = refused.message.split("\n").map((line) => line.trim());
  const own = { code: codeWords[refused.exitCode], detail, remedy: remedy.join(" ") };
  terminal().stderr.write(`${JSON.stringify(refused.problem ?? own)}\n`);
}
