import { readdirSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { problems } from "../kernel/problem.ts";
import { stepProblems } from "../systems/step-problems.ts";
import { withCommands } from "./calling/operations.ts";
import { findCommand } from "./commands.ts";

const root = new URL("../../", import.meta.url);

/** Lines of code blocks that call the launcher, with those that a backslash continues. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```(?:sh|bash|yaml)?\n([\s\S]*?)^ *```/gm)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.replace(/\\\n\s*/g, " ").split("\n"));
  return lines.flatMap((line) => /(?:\.|-cli)\/signalbox ((?:[a-z]|--)[^)|<>#`]*)/.exec(line)?.[1] ?? []);
}

const isWord = (word: string): boolean => /^[a-z][a-z-]*$/.test(word);

/** Null if the command and its flags exist. */
async function mistakeIn(line: string): Promise<string | null> {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const [name = ""] = words;
  if (name.startsWith("--")) return ["--help", "--version"].includes(name) ? null : `${name}: ${line}`;
  const entry = findCommand(name);
  if (!entry) return `no command ${name}: ${line}`;
  let command: Command = await entry.load();
  for (const word of words.slice(1)) {
    const child = command.commands.find((each) => each.name() === word);
    if (child) command = child;
    else if (command.commands.length > 0 && isWord(word)) return `no command ${name} ${word}: ${line}`;
  }
  const known = new Set([...command.options.map(({ long }) => long), "--help"]);
  const flag = words.find((word) => /^--[a-z]/.test(word) && !known.has(word.split("=")[0]));
  return flag === undefined ? null : `no flag ${flag}: ${line}`;
}

// "Every example in them is executed": what a command does is tested elsewhere; here, that it is written as it is called.
test("every command in the documents exists, with its flags", async () => {
  const files = [
    "README.md",
    ...readdirSync(new URL("docs/", root), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
  const lines = files.flatMap((file) =>
    commandsIn(readFileSync(new URL(file, root), "utf8")).map((line) => ({ file, line })),
  );
  expect(lines.filter(({ file }) => file === "docs/cli.md").length).toBeGreaterThan(25);
  const wrong: string[] = [];
  for (const { file, line } of lines) {
    const mistake = await mistakeIn(line);
    if (mistake !== null) wrong.push(`${file}: ${mistake}`);
  }
  expect(wrong).toEqual([]);
});

// "Hints that name commands and not HTTP paths."
test("what every problem says to do names commands that exist, and no path of the API", async () => {
  const wrong: string[] = [];
  let named = 0;
  for (const [code, { means, remedy }] of [...Object.entries(problems), ...Object.entries(stepProblems)]) {
    for (const [, quoted = ""] of withCommands(`${means} ${remedy}`).matchAll(/`([^`]+)`/g)) {
      const [, line] = /^(?:\.\/)?signalbox (.+)$/.exec(quoted) ?? [];
      const mistake = line === undefined ? null : await mistakeIn(line);
      named += line === undefined ? 0 : 1;
      if (mistake !== null) wrong.push(`${code}: ${mistake}`);
      if (/^(?:\/?latest\/)?[a-z_]+\/[a-z_{}/]+$/.test(quoted)) wrong.push(`${code}: ${quoted} is a path`);
    }
  }
  expect(named).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});
