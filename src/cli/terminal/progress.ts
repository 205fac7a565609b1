import { terminal, widthOf, writeNote } from "./terminal.ts";
import { fitText } from "./text.ts";

const frames = ["|", "/", "-", "\\"];

/** One line on standard error that changes. Without a terminal, only the end is written. */
export function createProgress() {
  const { stderr } = terminal();
  let turns = 0;
  return {
    show(text: string): void {
      if (!stderr.isTTY) return;
      const frame = frames[turns++ % frames.length];
      stderr.write(`\r\u001b[K${fitText(`${frame} ${text}`, (widthOf(stderr) ?? 80) - 1)}`);
    },
    end(text: string): void {
      if (stderr.isTTY) stderr.write("\r\u001b[K");
      writeNote(text);
    },
  };
}
