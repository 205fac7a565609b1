import { bodySchemaOf, exampleBodyOf, type JsonSchema, namesInPath } from "../../../api/reference/operation-schemas.ts";
import type { Operation } from "../../../calls/define-operation.ts";
import { samples } from "../../../systems/samples.ts";
import { shortPath } from "../page-parts.ts";
import { pathValue, quoted, withPlaceholders } from "./placeholders.ts";

/** The same call on the command line, where it has a command: `auth/invite/create` is `./signalbox invites create`. */
export function commandOf(operation: Operation): string | null {
  if (operation.needs === "nobody" || withoutCommand.test(operation.path)) return null;
  const own = ownCommands[shortPath(operation)];
  if (own !== undefined) return own;
  const example = operation.example as Record<string, unknown>;
  const body = withPlaceholders(exampleBodyOf(operation));
  const id = idWithoutFlag(operation);
  const positions = [...namesInPath(operation), ...(id === null ? [] : [id])].map((name) =>
    pathValue(name, example[name]),
  );
  const flags = Object.entries(body)
    .filter(([name]) => name !== id)
    .map(([name, value]) => flagOf(name, value, bodySchemaOf(operation).properties?.[name] ?? {}));
  return wrapped(["./signalbox", ...wordsOf(operation), ...positions], flags);
}

/** Signing in, and what only the session of a browser may do. */
const withoutCommand =
  /^\/latest\/(?:auth\/(?:assistants|confirm|passkeys|codes|password|sign_|security)|projects\/(?:delete|watch)$)/;

/** Commands with arguments of their own. */
const ownCommands: Readonly<Record<string, string>> = {
  "auth/info": "./signalbox whoami",
  "connections/connect": `./signalbox connections connect --system ${samples.system.id} --instance sandbox`,
  "steps/search": `./signalbox steps search '${samples.search}'`,
  "steps/{step_id}/run": `./signalbox steps run ${samples.reading.step} --connection <connection_id> \\\n  --input '${JSON.stringify(samples.reading.input)}'`,
  "tools/import": "./signalbox tools import tool.yaml",
  "tools/validate": "./signalbox tools validate tool.yaml",
  "tools/{tool_id}/export": "./signalbox tools export <tool_id>",
  "tools/{tool_id}/restore": "./signalbox tools restore <tool_id> 1",
  "tools/{tool_id}/trigger": './signalbox tools trigger <tool_id> --params \'{"branch":"main"}\'',
  "tools/{tool_id}/trigger_async": './signalbox tools trigger <tool_id> --params \'{"branch":"main"}\' --no-wait',
  "runs/{run_id}/approve": "./signalbox runs approve <run_id>",
  "runs/{run_id}/resolve": "./signalbox runs resolve <run_id> happened",
};

function wordsOf(operation: Operation): string[] {
  const [first = "", ...others] = shortPath(operation)
    .replace(/^auth\//, "")
    .split("/")
    .filter((word) => !word.startsWith("{"))
    .map((word) => word.replaceAll("_", "-"));
  return [first === "invite" ? "invites" : first, ...others];
}

const withFlagsOnly = ["create", "list", "connect", "search", "create_key", "list_keys", "import"];

/** The one id that says which record is meant, where the path has none. */
function idWithoutFlag(operation: Operation): string | null {
  const last = operation.path.split("/").at(-1) ?? "";
  if (namesInPath(operation).length > 0 || withFlagsOnly.includes(last)) return null;
  const { required = [] } = bodySchemaOf(operation);
  return required.find((name) => /_(?:id|code)$/.test(name)) ?? null;
}

function flagOf(name: string, value: unknown, schema: JsonSchema): string {
  if (name === "permissions") return `--role ${JSON.stringify(value).includes("role:editor") ? "editor" : "admin"}`;
  const flag = `--${name.replaceAll("_", "-")}`;
  if (typeof value === "boolean") return `${flag} ${value ? "yes" : "no"}`;
  if (Array.isArray(value) && schema.items?.type === "string") return `${flag} ${quoted(value.join(","))}`;
  return `${flag} ${typeof value === "object" ? quoted(JSON.stringify(value)) : asArgument(String(value))}`;
}

/** A placeholder needs no quotes: an id has none of the shell's own characters. */
const asArgument = (text: string): string => (/^<\w+>$/.test(text) ? text : quoted(text));

const lineMax = 76;

/** One line if it is short; otherwise a line for each flag. */
function wrapped(words: readonly string[], flags: readonly string[]): string {
  const line = [...words, ...flags].join(" ");
  return line.length <= lineMax ? line : [words.join(" "), ...flags.map((flag) => `  ${flag}`)].join(" \\\n");
}
