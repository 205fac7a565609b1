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
  -h, --help     show this help; \`signalbox <command> --help\` describes one command
  -V, --version  print the version

Settings come from flags or SIGNALBOX_… variables; docs/settings.md lists them all.
`;
}

export function versionText(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
