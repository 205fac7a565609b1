import { readFileSync } from "node:fs";

/** The operations of the API, as commands see them. `npm run docs` writes the file from the API's own definitions. */

export interface Field {
  name: string;
  kind: "text" | "number" | "boolean" | "texts" | "json";
  choices?: string[];
  required?: true;
  means?: string;
}

export interface KnownOperation {
  path: `/latest/${string}`;
  summary: string;
  /** It changes something. */
  changes?: true;
  /** It returns `{results, next}`. */
  list?: true;
  /** The ids in the path. */
  ids: string[];
  fields: Field[];
}

interface Contract {
  settings: string[];
  operations: KnownOperation[];
}

const known = JSON.parse(readFileSync(new URL("./contract.json", import.meta.url), "utf8")) as Contract;
export const contract = (): Contract => known;

/** The words of the command: `auth/users/{user_id}/update` is `users update`, `auth/invite/create` is `invites create`. */
export function wordsOf(path: string): string[] {
  const [first = "", ...others] = path
    .replace(/^\/?(latest\/)?(auth\/)?/, "")
    .split("/")
    .filter((word) => !word.startsWith("{"))
    .map((word) => word.replaceAll("_", "-"));
  return [first === "invite" ? "invites" : first, ...others];
}

export const operationsOf = (group: string): KnownOperation[] =>
  contract().operations.filter(({ path }) => wordsOf(path)[0] === group && wordsOf(path).length > 1);

export function requireOperation(path: KnownOperation["path"]): KnownOperation {
  const found = contract().operations.find((operation) => operation.path === path);
  if (!found) throw new Error(`No operation ${path}.`);
  return found;
}

/** "Hints that name commands and not HTTP paths": `runs/list` becomes `signalbox runs list`. */
export const withCommands = (text: string): string =>
  text.replace(/`([^`]{1,200})`/g, (whole, inside: string) => commandFor(inside) ?? pageFor(inside) ?? whole);

/** Signing in is no command: it needs a browser. */
const pageFor = (path: string): string | null => {
  if (/^auth\/password\//.test(path)) return "the console's sign-in page";
  return /^auth\/(passkeys|codes)\//.test(path) ? "the page Your account of the console" : null;
};

function commandFor(path: string): string | null {
  if (!path.includes("/")) return null;
  const words = wordsOf(path).join(" ");
  const operation = known.operations.find((each) => wordsOf(each.path).join(" ") === words);
  return operation ? `\`signalbox ${[words, ...operation.ids.map((id) => `<${id}>`)].join(" ")}\`` : null;
}
