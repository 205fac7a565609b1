import type { Command } from "commander";
import { expect, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { findCommand } from "../../src/cli/commands.ts";
import { commandOf } from "../../src/http/documentation/reference/command-sample.ts";
import { blocksOf, userDocuments } from "./documents.ts";

/** The forms of docs/production.md: as the user of the service, and in a container. */
const otherForms = /^(?:operator|docker compose exec signalbox signalbox|docker compose run --rm signalbox) /;

/** Why the command line would not take the command, or null. */
async function mistakeIn(line: string): Promise<string | null> {
  const words = wordsIn(line);
  const entry = findCommand(words[0] ?? "");
  if (!entry) return words[0]?.startsWith("-") ? null : `${line}: there is no command ${words[0]}`;
  let command: Command = await entry.load();
  let at = 1;
  for (; at < words.length; at++) {
    const child = command.commands.find((each) => each.name() === words[at]);
    if (!child) break;
    command = child;
  }
  if (command.commands.length > 0) return `${line}: ${command.name()} has no command ${words[at]}`;
  const flags = words.slice(at).filter((word) => word.startsWith("--"));
  const known = [...command.options.map(({ long }) => long), "--help"];
  const unknown = flags.find((flag) => !known.includes(flag));
  if (unknown) return `${line}: ${command.name()} has no ${unknown}`;
  const given = words.slice(at).findIndex((word) => word.startsWith("--"));
  const positions = given < 0 ? words.length - at : given;
  const { length: most } = command.registeredArguments;
  return positions > most ? `${line}: ${command.name()} takes ${most} arguments, not ${positions}` : null;
}

/** The words of a command after `./signalbox`, as a shell would divide them; quoted text is one word. */
function wordsIn(line: string): string[] {
  const [, whole = ""] = line.replace(/\\\n\s*/g, " ").split("./signalbox ", 2);
  const [rest = ""] = whole.split(/ (?:\||>|&&) /);
  return [...rest.matchAll(/'(?:[^']|'"\$\w+"')*'|"[^"]*"|[^\s'"|);#]+/g)].map(([word]) => word);
}

const mistakesIn = async (lines: readonly string[]): Promise<string[]> =>
  (await Promise.all(lines.map(mistakeIn))).filter((mistake) => mistake !== null);

test("every command of the reference is one that the command line has, with its arguments and flags", async () => {
  const lines = operations.flatMap((operation) => commandOf(operation) ?? []);
  expect(lines.length).toBeGreaterThan(100);
  for (const wrong of [
    "./signalbox runz list",
    "./signalbox runs lst",
    "./signalbox runs list --colour",
    "./signalbox runs get a b",
  ])
    expect(await mistakeIn(wrong)).not.toBeNull();
  expect(await mistakesIn(lines)).toEqual([]);
});

test("every command of the documents is one that the command line has, with its arguments and flags", async () => {
  const inBlocks = userDocuments
    .flatMap(blocksOf)
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => code.replace(/\\\n\s*/g, " ").split("\n"))
    .map((line) => line.trimStart().replace(otherForms, "./signalbox "))
    .filter((line) => line.includes("./signalbox "));
  const inText = userDocuments
    .flatMap(({ text }) => text.match(/`\.\/signalbox [^`…]+`/g) ?? [])
    .map((text) => text.slice(1, -1));
  expect(await mistakesIn([...inBlocks, ...inText.filter((line) => !line.includes("<command>"))])).toEqual([]);
});
