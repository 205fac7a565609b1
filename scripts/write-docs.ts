import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { operations } from "../src/api/index.ts";
import { areas, needsInWords, titleOfNeeds } from "../src/api/reference/area-titles.ts";
import { answerSchemaOf, bodySchemaOf, isReserved, type JsonSchema } from "../src/api/reference/operation-schemas.ts";
import { changeProblems, commonProblems, problemsOf } from "../src/api/reference/problems-of-operation.ts";
import type { Operation } from "../src/calls/define-operation.ts";
import { openApiDocument } from "../src/http/openapi.ts";
import { type ProblemCode, problems } from "../src/kernel/problem.ts";
import { callerSettings } from "../src/start/settings/caller-settings.ts";
import type { Setting } from "../src/start/settings/define-setting.ts";
import { allRegionSettings } from "../src/start/settings/region-settings.ts";
import { settings } from "../src/start/settings/settings.ts";
import { cliContract } from "./cli-contract.ts";
import { eventsDocument } from "./event-docs.ts";
import { lines, notice, table } from "./markdown.ts";
import { stepDocuments } from "./step-docs.ts";

/** Writes the documents that follow from the program. With --check it only lists those that are out of date. */

const folder = fileURLToPath(new URL("../docs/", import.meta.url));

const documents: Record<string, () => string> = {
  "errors.md": errorsDocument,
  "settings.md": settingsDocument,
  "operations.md": operationsDocument,
  "openapi.json": () => `${JSON.stringify(openApiDocument("http://127.0.0.1:4100"), null, 2)}\n`,
  "events.md": eventsDocument,
  "../src/cli/calling/contract.json": cliContract,
  ...stepDocuments,
};

function errorsDocument(): string {
  const codes = (Object.keys(problems) as ProblemCode[]).sort((a, b) => problems[a].status - problems[b].status);
  return lines(
    "# Errors",
    notice,
    "A refused call changes nothing. The response body is `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `detail`, `instance`, `code`, `request_id` and `remedy`. Decide by `code`: its meaning never changes. If members of the request body are invalid, `errors` lists them, each with a JSON Pointer, a code and a sentence. The running server shows the same list at `/latest/documentation/errors`.",
    table(
      ["Status", "Code", "Means", "What to do"],
      codes.map((code) => [String(problems[code].status), `\`${code}\``, problems[code].means, problems[code].remedy]),
    ),
  );
}

function settingsDocument(): string {
  const perRegion = allRegionSettings();
  return lines(
    "# Settings",
    notice,
    "Settings come from the environment. Those with a flag can also be given to `signalbox serve`; the flag takes precedence. An empty variable counts as not set.",
    "Signalbox reads every setting before it opens a store or a port. If a value is invalid, it exits with code 2 and an error that names the setting and the reason. The error never repeats a value that may contain a password. `./signalbox doctor` checks settings, stores and ports, and says how to fix what is wrong.",
    settingsTable([...Object.values(settings), ...perRegion]),
    "## Commands that call a server",
    "Commands that call a server also read the settings below; [the command line](cli.md) describes them. They take precedence over the profile of `./signalbox login`. What is set nowhere comes from `first-run.json` in the data folder.",
    settingsTable(Object.values(callerSettings)),
  );
}

const settingsTable = (list: readonly Pick<Setting<unknown>, "name" | "flag" | "defaultText" | "means">[]): string =>
  table(
    ["Setting", "Flag", "Default", "Meaning"],
    list.map(({ name, flag, defaultText, means }) => [
      `\`${name}\``,
      flag === undefined ? "" : `\`${flag}\``,
      defaultText === null || defaultText === "" ? "not set" : `\`${defaultText}\``,
      means,
    ]),
  );

function operationsDocument(): string {
  const byArea = Map.groupBy(operations, (operation) => operation.area);
  return lines(
    "# Operations",
    notice,
    "Every operation is a `POST` with a JSON object. `?` marks an optional member, `[]` a list. The reference at `/latest/documentation` explains each member and has an example to copy. [openapi.json](openapi.json) has the same for programs, and [errors.md](errors.md) lists the codes.",
    "What the column “Needs” means:",
    (Object.keys(needsInWords) as Operation["needs"][])
      .map((needs) => {
        const codes = codesByNeeds[needs];
        return `- **${titleOfNeeds(needs)}**: ${needsInWords[needs]}${codes === undefined ? "" : ` Otherwise ${codeList(codes)}.`}`;
      })
      .join("\n"),
    "## Errors that many operations share",
    "The tables below list only the errors of each operation itself.",
    `- Any call: ${codeList(commonProblems)}.`,
    `- Calls that change something: ${codeList(changeProblems)}.`,
    "- Operations that need no account never return the errors about keys, sessions and idempotency.",
    ...[...byArea].flatMap(([area, list]) => [
      `## ${areas[area].title}`,
      table(
        ["Path", "What it does", "Needs", "Body", "Response", "Errors of its own"],
        list.map((operation) => [
          `\`${operation.path}\``,
          operation.summary,
          titleOfNeeds(operation.needs),
          members(bodySchemaOf(operation)),
          isReserved(operation) ? "501" : members(answerSchemaOf(operation)),
          ownRefusals(operation),
        ]),
      ),
    ]),
  );
}

function members(schema: JsonSchema): string {
  const names = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const inside = member.items?.properties ? ` of { ${Object.keys(member.items.properties).join(", ")} }` : "";
    return `\`${name}${member.type === "array" ? "[]" : ""}${isRequired ? "" : "?"}\`${inside}`;
  });
  return names.length === 0 ? "`{}`" : names.join(", ");
}

/** The codes that follow from what an operation needs, and so stand at the top of the page. */
const codesByNeeds: Partial<Record<Operation["needs"], ProblemCode[]>> = {
  "full key": ["key_restricted"],
  "organization owner": ["key_restricted", "owner_required"],
  "project viewer": ["project_required", "project_not_found"],
  "project editor": ["project_required", "project_not_found", "editor_required"],
  "project admin": ["project_required", "project_not_found", "admin_required"],
};

/** The codes that neither every call has nor its column "Needs" explains. */
function ownRefusals(operation: Operation): string {
  const shared = [...commonProblems, ...changeProblems, ...(codesByNeeds[operation.needs] ?? [])];
  return codeList(problemsOf(operation).filter((code) => !shared.includes(code)));
}

const codeList = (codes: readonly ProblemCode[]): string => codes.map((code) => `\`${code}\``).join(", ");

const isStale = (name: string): boolean => {
  try {
    return readFileSync(`${folder}${name}`, "utf8") !== documents[name]?.();
  } catch {
    return true;
  }
};

const stale = Object.keys(documents).filter(isStale);
if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`docs/${name} is out of date: run \`npm run docs\`.`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  mkdirSync(`${folder}steps`, { recursive: true });
  for (const name of stale) {
    writeFileSync(`${folder}${name}`, documents[name]?.() ?? "");
    console.log(`wrote docs/${name}`);
  }
  if (stale.length === 0) console.log("docs/ is up to date");
}
