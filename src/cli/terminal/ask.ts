import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { terminal } from "./terminal.ts";

/** The first line of standard input; empty where there is none. */
export async function firstLine(): Promise<string> {
  const lines = createInterface({ input: terminal().stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

/** Does not echo what is typed. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = terminal();
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

export async function askYes(question: string): Promise<boolean> {
  const { stdin, stderr } = terminal();
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
