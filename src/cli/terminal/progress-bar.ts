import { fitText } from "./fit-text.ts";
import { terminal, widthOf } from "./terminal.ts";

/** One line on standard error that changes while something long is under way. Silent where nobody watches. */
export function createBar(title: string) {
  const { stderr } = terminal();
  let turns = 0;
  const write = (text: string): void => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${fitText(text, (widthOf(stderr) ?? 80) - 1)}`);
  };
  return {
    share(share: number): void {
      const filled = Math.round(share * barWidth);
      write(`${title} [${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${Math.round(share * 100)} %`);
    },
    /** Where nobody knows how much there is: the block moves with each turn, and the text says how much has come. */
    turn(text: string): void {
      const left = barWidth - blockWidth;
      const at = left - Math.abs(left - (turns++ % (2 * left)));
      write(`${title} [${".".repeat(at)}${"#".repeat(blockWidth)}${".".repeat(left - at)}] ${text}`);
    },
    bytes: (bytes: number) => write(`${title} ${(bytes / 1e6).toFixed(1)} MB`),
    step: (text: string) => write(`${title}: ${text}`),
    end: () => write(""),
  };
}

const barWidth = 30;
const blockWidth = 6;
