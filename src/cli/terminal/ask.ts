import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { foldedLines } from "./fit-text.ts";
import { terminal, widthOf, writeNote } from "./terminal.ts";

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
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // The terminal stops its echo here, so the question comes after: a person who types at once shows nothing.
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    stderr.write(question);
    return await lines.question("");
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

export async function askYes(question: string): Promise<boolean> {
  const { stdin, stderr } = terminal();
  const shown = foldedLines(`${question} [y/N]`, widthOf(stderr));
  const last = shown.pop() ?? "";
  for (const line of shown) writeNote(line);
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${last} `)).trim());
  } finally {
    lines.close();
  }
}
