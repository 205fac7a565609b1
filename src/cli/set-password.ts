import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { newPassword } from "../identity/passwords/passwords.ts";
import { CommandRefused } from "./command.ts";

/**
 * Gets the new password: a terminal asks for it twice, a pipe passes it as one line, and `--generate` creates one. It
 * is never an argument: every process on the machine may read those.
 */
export async function askForPassword(options: { generate?: true }): Promise<{ password: string; isNew: boolean }> {
  if (options.generate) return { password: newPassword(), isNew: true };
  if (!process.stdin.isTTY) {
    const password = await firstLine();
    return password === "" ? { password: newPassword(), isNew: true } : { password, isNew: false };
  }
  const password = await askHidden("New password (empty for one made up): ");
  if (password === "") return { password: newPassword(), isNew: true };
  if ((await askHidden("Once more: ")) !== password) throw new CommandRefused("The two are not the same.");
  return { password, isNew: false };
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

/** Does not echo what is typed. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
