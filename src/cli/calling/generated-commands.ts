import { Command, Option } from "commander";
import { CommandRefused, exitCodes } from "../exit-codes.ts";
import type { Row } from "../terminal/print-table.ts";
import { terminal } from "../terminal/terminal.ts";
import { type CallerOptions, callerOf } from "./caller.ts";
import {
  callingCommand,
  type ListOptions,
  listingCommand,
  printAnswer,
  printList,
  printRows,
  printRunAnswer,
  readAnyJson,
  readJson,
  readNumber,
} from "./calling-command.ts";
import { type Field, type KnownOperation, operationsOf, wordsOf } from "./operations.ts";

/** "Every operation of the contract" as a command, made from the operation's own definition. */

/** What a command does on this machine's store, for operators, beside calling the server. */
export interface StoreSide {
  options: readonly Option[];
  /** Whether these options ask for the store. */
  isMeant(options: StoreOptions): boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each reads the options that it has added.
  run(options: any): Promise<void>;
}

export type StoreOptions = CallerOptions & { store?: true } & Record<string, unknown>;

/** The commands of a group: those that are written by hand, and one for each other operation. */
export function groupCommand(
  group: string,
  summary: string,
  own: readonly Command[] = [],
  storeSides: Readonly<Record<string, StoreSide>> = {},
): Command {
  const command = new Command(group).description(summary);
  for (const each of own) command.addCommand(each);
  for (const operation of operationsOf(group)) {
    const words = wordsOf(operation.path).slice(1);
    const last = words.pop() ?? "";
    const parent = words.reduce(childOf, command);
    if (!parent.commands.some((each) => each.name() === last))
      parent.addCommand(commandOf(operation, last, words.length === 0 ? storeSides[last] : undefined));
  }
  return command;
}

/** `organizations users` has commands of its own. */
function childOf(parent: Command, name: string): Command {
  const known = parent.commands.find((each) => each.name() === name);
  if (known) return known;
  const made = new Command(name).description(`${parent.name()}: ${name}`);
  parent.addCommand(made);
  return made;
}

function commandOf(operation: KnownOperation, name: string, storeSide?: StoreSide): Command {
  const { required, optional } = positionsOf(operation);
  const command = (operation.list ? listingCommand : callingCommand)(name, operation.summary);
  for (const id of required) command.argument(storeSide ? `[${id}]` : `<${id}>`);
  for (const id of optional) command.argument(`[${id}]`);
  for (const field of flagsOf(operation)) command.addOption(optionOf(field));
  if (operation.fields.some(isRole))
    command.addOption(new Option("--role <role>", "instead of --permissions").choices(["viewer", "editor", "admin"]));
  if (!operation.list && operation.fields.length > 0)
    command.option("--body <json>", "the body as a JSON object; flags override its members");
  if (storeSide) command.option("--store", "for operators: work on this machine's store, and call no server");
  const known = new Set(command.options.map(({ long }) => long));
  for (const option of storeSide?.options ?? []) if (!known.has(option.long)) command.addOption(option);
  return command.action(async (...given: unknown[]) => {
    const options = given[required.length + optional.length] as Given;
    if (storeSide && (options.store || storeSide.isMeant(options))) return storeSide.run(options);
    await callOperation(operation, given.slice(0, required.length + optional.length) as string[], options);
  });
}

type Given = ListOptions & Record<string, unknown> & { body?: string; role?: string; store?: true };

async function callOperation(operation: KnownOperation, ids: (string | undefined)[], options: Given): Promise<void> {
  const { required, optional } = positionsOf(operation);
  const input: Record<string, unknown> = options.body === undefined ? {} : readJson(options.body, "--body");
  for (const field of flagsOf(operation)) {
    const value = options[camel(field.name)];
    if (value !== undefined) input[field.name] = parsedValue(field, value);
  }
  if (options.role !== undefined && operation.fields.some(isRole)) input.permissions = permissionsOf(options.role);
  for (const [index, name] of [...required, ...optional].entries()) {
    if (ids[index] !== undefined) input[name] = ids[index];
  }
  const noId = required.find((name) => input[name] === undefined);
  if (noId !== undefined) throw new CommandRefused(`The argument <${noId}> is missing.`);
  const missing = operation.fields.find(({ name, required: must }) => must && input[name] === undefined);
  if (missing) throw new CommandRefused(`${flagOf(missing)}${isRole(missing) ? " or --role" : ""} is required.`);
  const whom: CallerOptions =
    typeof input.project_id === "string" ? { ...options, project: input.project_id } : options;
  if (operation.list) return printList({ ...options, ...whom }, operation, input);
  const answer = await callerOf(whom).call(operation.path, input);
  if (!options.json && Array.isArray(answer.results)) return printRows(operation, answer.results as Row[]);
  (/\/(trigger|run)$/.test(operation.path) ? printRunAnswer : printAnswer)(options, answer);
  if (answer.valid === false) terminal().exitCode = exitCodes.endedBadly;
}

/** What stands without a flag: the ids of the path, or the one id that says which record is meant. */
function positionsOf({ path, ids, fields }: KnownOperation): { required: string[]; optional: string[] } {
  if (ids.length > 0) return { required: ids, optional: [] };
  const last = path.split("/").at(-1) ?? "";
  if (["create", "list", "connect", "search", "create_key", "list_keys", "import"].includes(last))
    return { required: [], optional: [] };
  const named = fields.find(({ name, kind }) => kind === "text" && /_(id|code)$/.test(name));
  if (!named || !(named.required || ["get", "update"].includes(last))) return { required: [], optional: [] };
  return named.required ? { required: [named.name], optional: [] } : { required: [], optional: [named.name] };
}

const fromList = new Set(["limit", "after"]);

function flagsOf(operation: KnownOperation): Field[] {
  const { required, optional } = positionsOf(operation);
  const elsewhere = new Set([...required, ...optional]);
  return operation.fields.filter(({ name }) => !elsewhere.has(name) && !(operation.list && fromList.has(name)));
}

const isRole = ({ name }: Field): boolean => name === "permissions";

const placeholders = { text: " <text>", number: " <number>", boolean: " [yes|no]", texts: " <list>", json: " <json>" };

const flagOf = ({ name }: Field): string => `--${name.replaceAll("_", "-")}`;
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function optionOf(field: Field): Option {
  const means = (field.means ?? field.name.replaceAll("_", " ")).replaceAll("`", "");
  const option = new Option(
    `${flagOf(field)}${placeholders[field.kind]}`,
    field.required ? `${means} (required)` : means,
  );
  return field.choices ? option.choices(field.choices) : option;
}

function parsedValue(field: Field, given: unknown): unknown {
  const text = String(given);
  if (field.kind === "number") return readNumber(text, flagOf(field));
  if (field.kind === "boolean") return booleanOf(given, field);
  if (field.kind === "texts") return text.split(",").filter((each) => each !== "");
  return field.kind === "json" ? readAnyJson(text, flagOf(field)) : versionOr(field, text);
}

/** A version is a number, or a word such as `draft`. */
const versionOr = ({ name }: Field, text: string): unknown =>
  name === "version" && /^\d+$/.test(text) ? Number(text) : text;

function booleanOf(given: unknown, field: Field): boolean {
  if (given === true || given === "yes" || given === "true") return true;
  if (given === "no" || given === "false") return false;
  throw new CommandRefused(`${flagOf(field)} takes yes or no.`);
}

const actions: Record<string, string> = { viewer: "role:viewer", editor: "role:editor", admin: "admin" };

export const permissionsOf = (role: string) => ({
  items: { platformDefault: { actions: { [actions[role] ?? role]: true } } },
});
