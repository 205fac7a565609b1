import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { operations } from "../src/api/index.ts";
import { needsInWords } from "../src/api/reference/areas.ts";
import { problemsOf } from "../src/api/reference/problems.ts";
import { answerSchemaOf, bodySchemaOf, isReserved, type JsonSchema } from "../src/api/reference/schemas.ts";
import type { Area, Operation } from "../src/calls/define.ts";
import { openApiDocument } from "../src/http/openapi.ts";
import { type ProblemCode, problems } from "../src/kernel/problem.ts";
import type { Setting } from "../src/start/define-setting.ts";
import { allRegionSettings } from "../src/start/region-settings.ts";
import { callerSettings, settings } from "../src/start/settings.ts";
import { eventsDocument } from "./event-docs.ts";
import { lines, notice, table } from "./markdown.ts";
import { stepDocuments } from "./step-docs.ts";

/** Writes what docs/ has of the program itself; with --check it only says which files are out of date. */

const folder = fileURLToPath(new URL("../docs/", import.meta.url));

const documents: Record<string, () => string> = {
  "errors.md": errorsDocument,
  "settings.md": settingsDocument,
  "operations.md": operationsDocument,
  "openapi.json": () => `${JSON.stringify(openApiDocument("http://127.0.0.1:4100"), null, 2)}\n`,
  "events.md": eventsDocument,
  ...stepDocuments,
};

function errorsDocument(): string {
  const codes = (Object.keys(problems) as ProblemCode[]).sort((a, b) => problems[a].status - problems[b].status);
  return lines(
    "# Errors",
    notice,
    "A refused call changes nothing. Its body is `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `detail`, `instance`, `code`, `request_id` and `remedy`. Decide by `code`: it never changes its meaning. `errors` is there when members of the body are at fault, each with a JSON Pointer, a code and a sentence. The running server shows the same list at `/latest/documentation/errors`.",
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
    "Settings come from the environment; those with a flag can also be given to `signalbox serve`, and a flag wins. An empty variable counts as one that is not set.",
    "Every setting is read before anything is opened. A value that cannot be used stops the start with exit code 2 and a sentence that names the setting and says what is wrong with it; where the value may hold a password, the sentence does not repeat it. `npx signalbox doctor` looks at settings, stores and ports, and says what to mend.",
    settingsTable([...Object.values(settings), ...perRegion]),
    "## Commands that call a server",
    "`signalbox steps`, `signalbox tools` and `signalbox runs` call a running server as any other program would. They find it at `--base-url` or at the `SIGNALBOX_BASE_URL_…` of the region, and read these two. What is not given comes from `first-run.json` in the data folder.",
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
    "Every operation is a `POST` with a JSON object. `?` marks what may be left out, `[]` a list. The reference at `/latest/documentation` explains each member and has a call to copy; [openapi.json](openapi.json) is the same for programs; [errors.md](errors.md) has the codes.",
    "What the column «Needs» means:",
    Object.entries(needsInWords)
      .map(([needs, words]) => `- **${needs}**: ${words}`)
      .join("\n"),
    ...[...byArea].flatMap(([area, list]) => [
      `## ${titleOf(area)}`,
      table(
        ["Path", "What it does", "Needs", "Body", "Answer", "Its own refusals"],
        list.map((operation) => [
          `\`${operation.path}\``,
          operation.summary,
          operation.needs,
          members(bodySchemaOf(operation)),
          isReserved(operation) ? "501" : members(answerSchemaOf(operation)),
          ownRefusals(operation),
        ]),
      ),
    ]),
  );
}

const titleOf = (area: Area): string => area.charAt(0).toUpperCase() + area.slice(1);

function members(schema: JsonSchema): string {
  const names = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const inside = member.items?.properties ? ` of { ${Object.keys(member.items.properties).join(", ")} }` : "";
    return `\`${name}${member.type === "array" ? "[]" : ""}${isRequired ? "" : "?"}\`${inside}`;
  });
  return names.length === 0 ? "`{}`" : names.join(", ");
}

/** Those that not every operation has. */
function ownRefusals(operation: Operation): string {
  const shared = operations.filter((each) => (each.audit === null) === (operation.audit === null));
  const own = problemsOf(operation).filter((code) => !shared.every((each) => problemsOf(each).includes(code)));
  return own.map((code) => `\`${code}\``).join(", ");
}

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
