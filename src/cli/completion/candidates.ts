import type { Command, Option } from "commander";
import { readPage } from "../calling/all-pages.ts";
import { type CallerOptions, callerOf } from "../calling/caller.ts";
import { findCommand, sections } from "../commands.ts";
import { readProfiles } from "../login/profiles.ts";
import { cleanText } from "../terminal/fit-text.ts";
import type { Row } from "../terminal/print-table.ts";

export interface Candidate {
  value: string;
  means: string;
}

/** What may stand where the last word is: a command, an option, one of its choices, or an id that the server knows. */
export async function candidatesFor(words: readonly string[]): Promise<Candidate[]> {
  const [name = "", ...rest] = words;
  const all = words.length < 2 ? commandNames() : await within(name, rest);
  const begun = words.at(-1) ?? "";
  return all.filter(({ value }) => value.startsWith(begun));
}

const commandNames = (): Candidate[] =>
  sections.flatMap(({ commands }) => commands.map(({ name, summary }) => ({ value: name, means: summary })));

async function within(name: string, words: readonly string[]): Promise<Candidate[]> {
  const entry = findCommand(name);
  if (!entry) return [];
  let command = await entry.load();
  const given = [...words];
  const begun = given.pop() ?? "";
  const values: string[] = [];
  const options: CallerOptions & Record<string, string> = {};
  let awaited: Option | undefined;
  for (const word of given) {
    const child = command.commands.find((each) => each.name() === word);
    if (awaited) {
      options[awaited.attributeName()] = word;
      awaited = undefined;
    } else if (word.startsWith("-")) awaited = optionNamed(command, word);
    else if (child && values.length === 0) command = child;
    else values.push(word);
  }
  if (awaited) return valuesOf(awaited, options);
  if (begun.startsWith("-"))
    return command.options.map((option) => ({ value: option.long ?? "", means: option.description }));
  if (command.commands.length > 0)
    return command.commands.map((each) => ({ value: each.name(), means: each.description() }));
  const argument = command.registeredArguments[values.length];
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, means: "" }));
  return liveValues(argument.name(), options);
}

/** Only those that take a value. */
const optionNamed = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => option.long === word && (option.required || option.optional));

async function valuesOf(option: Option, options: CallerOptions): Promise<Candidate[]> {
  if (option.argChoices) return option.argChoices.map((value) => ({ value, means: "" }));
  const name = option.long?.slice(2).replaceAll("-", "_") ?? "";
  if (name === "profile") return Object.keys(readProfiles()).map((value) => ({ value, means: "profile" }));
  return liveValues(name, options);
}

/** Lists that know the ids, and what to call each. */
const lists: Record<string, [path: `/latest/${string}`, id: string, name: string]> = {
  run: ["/latest/runs/list", "run_id", "status"],
  tool: ["/latest/tools/list", "tool_id", "title"],
  step: ["/latest/steps/list", "step_id", "title"],
  connection: ["/latest/connections/list", "connection_id", "label"],
  agent: ["/latest/agents/list", "agent_id", "name"],
  schedule: ["/latest/schedules/list", "schedule_id", "cron"],
  webhook: ["/latest/webhooks/list", "webhook_id", "url"],
  event: ["/latest/events/list", "event_id", "type"],
  project: ["/latest/projects/list", "project_id", "name"],
  organization: ["/latest/organizations/list", "organization_id", "name"],
  user: ["/latest/auth/users/list", "user_id", "email"],
  key: ["/latest/auth/keys/list", "key_id", "label"],
  invite_code: ["/latest/auth/invite/list", "invite_code", "email"],
  system: ["/latest/systems/list", "system", "title"],
};

const waitMilliseconds = 2_000;

/** A shell waits for this, so a slow or unknown server offers nothing. */
async function liveValues(name: string, options: CallerOptions): Promise<Candidate[]> {
  const list = lists[name.replace(/_id$/, "")];
  if (!list) return [];
  const [path, id, title] = list;
  const late = new Promise<null>((resolve) => setTimeout(resolve, waitMilliseconds, null).unref());
  // A shell that completes a word shows no errors.
  const asked = (async () => readPage(callerOf(options), { path }, { limit: 100 }))().catch(() => null);
  const page = await Promise.race([asked, late]);
  return (page?.results ?? []).map((record: Row) => ({
    value: String(record[id]),
    means: cleanText(String(record[title] ?? "")),
  }));
}
