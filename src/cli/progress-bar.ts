/** One line on standard error that changes while something long is under way. Silent where nobody watches. */
export function createBar(title: string) {
  const { stderr } = process;
  const write = (text: string) => void (stderr.isTTY && stderr.write(`\r\u001b[K${text}`));
  return {
    share(share: number): void {
      const filled = Math.round(share * barWidth);
      write(`${title} [${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${Math.round(share * 100)} %`);
    },
    bytes: (bytes: number) => write(`${title} ${(bytes / 1e6).toFixed(1)} MB`),
    step: (text: string) => write(`${title}: ${text}`),
    end: () => write(""),
  };
}

const barWidth = 30;
