import { type Block, blocksOf, userDocuments } from "./documents.ts";

/** How each example of the documents is executed, and the few that are not. */

/** What has no place in `npm test`, with the reason. An entry is the beginning of a line of the document. */
export const notExecuted: readonly { path: string; line: string; why: string }[] = [
  { path: "README.md", line: "npm start", why: "installs into the repository; the tests start the same server" },
  {
    path: "docs/quickstart.md",
    line: "npm start",
    why: "installs into the repository; the tests start the same server",
  },
  { path: "docs/production.md", line: "sudo ", why: "changes the machine: its users, services and programs" },
  { path: "docs/production.md", line: "operator() {", why: "needs systemd; what it calls is executed without it" },
  { path: "docs/production.md", line: "operator users ", why: "asks at a terminal: src/cli/set-password.test.ts" },
  { path: "docs/production.md", line: "cd /opt/signalbox", why: "the folder that those commands make" },
  {
    path: "docs/production.md",
    line: "curl --silent --fail --retry",
    why: "the service that systemd started",
  },
  {
    path: "docs/production.md",
    line: "docker ",
    why: "needs Docker: test/journeys/container.test.ts, where there is one",
  },
  { path: "docs/single-sign-on.md", line: "call domains/dom_us_…/verify", why: "needs a record in the reader's DNS" },
];

/** Examples that other tests execute: those read the same documents. */
const elsewhere: readonly { path: string; language: string; by: string }[] = [
  { path: "docs/client.md", language: "ts", by: "test/client/package.test.ts" },
  { path: "docs/client.md", language: "sh", by: "test/client/package.test.ts" },
  { path: "docs/production.md", language: "nginx", by: "test/journeys/deploy.test.ts" },
  { path: "docs/production.md", language: "caddy", by: "test/journeys/deploy.test.ts" },
  { path: "docs/production.md", language: "yaml", by: "test/journeys/operations.test.ts" },
  { path: "docs/production.md", language: "sql", by: "src/store/schema/upgrade.test.ts" },
  { path: "docs/scale.md", language: "sh", by: "src/cli/partition.test.ts" },
  { path: "docs/scale.md", language: "sql", by: "src/cli/partition.test.ts" },
];

export type Way =
  | "shell"
  | "settings"
  | "crontab"
  | "MCP settings"
  | "body of a step"
  | "output of a step"
  | "agent"
  | "tool"
  | "response"
  | "folder"
  | "workflow"
  | "elsewhere";

const isSettings = (code: string): boolean =>
  code
    .trim()
    .split("\n")
    .every((line) => /^\s*[A-Z][A-Z_]+=\S/.test(line));

/** Null for a new kind of example, which then needs a way to be executed. */
export function wayOf({ path, language, code }: Block): Way | null {
  if (elsewhere.some((each) => each.path === path && each.language === language)) return "elsewhere";
  if (path === "docs/mcp.md") return "MCP settings";
  if (language === "sh") return isSettings(code) ? "settings" : "shell";
  if (/^docs\/steps\/\w+\.md$/.test(path) && language === "json")
    return "connection_id" in JSON.parse(code) ? "body of a step" : "output of a step";
  const others: Record<string, Way> = {
    "docs/agents.md json": "agent",
    "docs/tools.md yaml": "tool",
    "docs/consent.md json": "response",
    "docs/cli.md yaml": "workflow",
    "docs/cli.md ": "folder",
    "docs/production.md crontab": "crontab",
  };
  return others[`${path} ${language}`] ?? null;
}

export const examples: readonly Block[] = userDocuments.flatMap(blocksOf);

export const examplesBy = (way: Way): Block[] => examples.filter((block) => wayOf(block) === way);

/** The commands of a block that are executed: without the lines of the table, and what continues them. */
export function executed({ path, code }: Block): string {
  const left = notExecuted.filter((each) => each.path === path).map(({ line }) => line);
  const commands = code.split(/(?<!\\)\n/);
  return commands.filter((command) => !left.some((line) => command.trimStart().startsWith(line))).join("\n");
}
