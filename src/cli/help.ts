import { readFileSync } from "node:fs";
import { sections } from "./commands.ts";

/** The text of `signalbox --help`. It needs no module of any command. */
export function helpText(): string {
  const width = Math.max(...sections.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  const lines = sections.flatMap(({ title, commands }) => [
    "",
    `${title}:`,
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ]);
  return `Usage: signalbox <command> [options]

Access governance and tool steps for agents, self-hosted, in three regions.
${lines.join("\n")}

Options:
  -h, --help     show this help; after a command, the help of that command
  -V, --version  print the version

docs/cli.md describes the commands, docs/settings.md the SIGNALBOX_… variables.
`;
}

export function versionText(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
