import type { Command } from "commander";
import { type Caller, type CallerOptions, callerOf } from "../calling/caller.ts";
import { callingCommand, readJson } from "../calling/calling-command.ts";
import { CommandRefused, exitCodes } from "../exit-codes.ts";
import { askYes } from "../terminal/ask.ts";
import { cleanText } from "../terminal/fit-text.ts";
import { coloured, terminal, writeLine, writeNote } from "../terminal/terminal.ts";
import type { Change, Plan } from "./plan.ts";

interface FileOptions extends CallerOptions {
  plan?: true;
  yes?: true;
  force?: true;
  exitCode?: true;
  delete?: true;
  publish?: boolean;
  note?: string;
  connections?: string;
}

const fileCommand = (name: string, description: string): Command =>
  callingCommand(name, description)
    .argument("<folder>", "with tools/, agents/ and schedules/ in it")
    .option("--plan", "show what would change, and change nothing")
    .option("--exit-code", "with --plan: exit code 1 if something differs")
    .option("--yes", "apply without asking; required without a terminal")
    .option("--force", "also overwrite what was changed on the other side since both were the same");

export const pushCommand = (): Command =>
  fileCommand("push", "make the project's tools, agents and schedules match the folder")
    .option("--delete", "delete records whose file was deleted")
    .option("--no-publish", "leave changed tools as drafts")
    .option("--note <text>", "the note of the published versions", "signalbox tools push")
    .option(
      "--connections <json>",
      "replaces ids of connections: those in the files, each with one of this project",
      "{}",
    )
    .action(push);

export const pullCommand = (): Command =>
  fileCommand("pull", "write the project's tools, agents and schedules into the folder, as YAML").action(pull);

// Loaded on demand: `signalbox tools list` needs no YAML.
const load = async () => ({
  ...(await import("./local-folder.ts")),
  ...(await import("./plan.ts")),
  ...(await import("./apply-to-server.ts")),
});

async function push(folder: string, options: FileOptions): Promise<void> {
  const { readFiles, readLock, readServer, planPush, applyChange, nameOfFile } = await load();
  const caller = projectCaller(options);
  const [files, lock] = [readFiles(folder), readLock(folder, caller.project)];
  if (files.size === 0 && lock.size === 0)
    throw new CommandRefused(`${folder} has no files: \`signalbox tools pull ${folder}\` writes them.`);
  const records = await readServer(caller, files, lock);
  const plan = planPush({ files, records, lock }, options.delete === true);
  const goesOn = await agree(plan, options, "push", ({ server, local }) => [server, local]);
  if (goesOn === "nothing") return saveLock(caller, folder);
  if (goesOn === "no") return;
  const tools = [...records].filter(([, { kind }]) => kind.folder === "tools");
  const toolIds = new Map(tools.map(([file, { id }]) => [nameOfFile(file), id]));
  const settings = {
    connections: readJson(options.connections ?? "{}", "--connections"),
    publish: options.publish !== false,
    note: options.note ?? "",
  };
  for (const change of plan.changes.filter(({ action }) => action !== "none")) {
    await applyChange(caller, change, toolIds, settings).catch((error) => refuseLate(error, change));
    report(options, change);
  }
  await saveLock(caller, folder);
  finish(options, plan);
}

/** Somebody was faster than the plan. */
function refuseLate(error: unknown, { file }: Change): never {
  const code = error instanceof CommandRefused ? String(error.problem?.code) : "";
  if (!/^(tool|agent|schedule)_changed$/.test(code)) throw error;
  throw new CommandRefused(
    `${file} was changed on the server after the plan was made, so it was not overwritten.\n  Run the command again: it shows the new plan.`,
    exitCodes.refused,
    (error as CommandRefused).problem,
  );
}

async function pull(folder: string, options: FileOptions): Promise<void> {
  const { readFiles, readLock, readServer, planPull, writeFile, deleteFile } = await load();
  const caller = projectCaller(options);
  const [files, lock] = [readFiles(folder), readLock(folder, caller.project)];
  const plan = planPull({ files, records: await readServer(caller, files, lock), lock });
  const goesOn = await agree(plan, options, "pull", ({ local, server }) => [local, server]);
  if (goesOn === "nothing") return saveLock(caller, folder);
  if (goesOn === "no") return;
  for (const change of plan.changes.filter(({ action }) => action !== "none")) {
    if (change.action === "delete") deleteFile(folder, change.file);
    else if (change.server) writeFile(folder, change.file, change.server);
    report(options, change);
  }
  await saveLock(caller, folder);
  finish(options, plan);
}

function projectCaller(options: CallerOptions): Caller {
  const caller = callerOf(options);
  if (caller.project === "") throw new CommandRefused("Which project? Name it with --project or SIGNALBOX_PROJECT.");
  return caller;
}

/** What is on both sides now is what later changes are compared with. */
async function saveLock(caller: Caller, folder: string): Promise<void> {
  const { readFiles, readLock, readServer, writeLock, hashOf } = await load();
  const [files, before] = [readFiles(folder), readLock(folder, caller.project)];
  const records = await readServer(caller, files, before);
  const both = [...files].flatMap(([file, { value }]) => {
    const record = records.get(file);
    return record ? [[file, { id: record.id, file: hashOf(value), server: hashOf(record.value) }] as const] : [];
  });
  const lock = new Map(both);
  if (JSON.stringify([...lock]) !== JSON.stringify([...before])) writeLock(folder, caller.project, lock);
}

type Sides = (change: Change) => [before: Change["local"], after: Change["local"]];

/** Shows the plan. Nothing is applied before a person, or --yes, has agreed. */
async function agree(plan: Plan, options: FileOptions, word: string, sides: Sides): Promise<"yes" | "no" | "nothing"> {
  const changes = plan.changes.filter(({ action }) => action !== "none");
  const shown = await shownChanges(changes, sides);
  if (options.json && (options.plan || changes.length === 0)) {
    writeLine(JSON.stringify({ applied: false, ...summaryOf(plan), changes: shown }));
  } else if (!options.json) printPlan(plan, shown);
  if (options.plan) {
    if (options.exitCode && changes.length > 0) terminal().exitCode = exitCodes.endedBadly;
    return "no";
  }
  if (changes.length === 0) return "nothing";
  const lost = changes.filter(({ drift }) => drift);
  if (lost.length > 0 && !options.force) {
    const where = word === "push" ? "on the server" : "in the folder";
    throw new CommandRefused(
      `Changed ${where} since both were the same: ${lost.map(({ file }) => file).join(", ")}. Nothing was changed.\n  ${word === "push" ? "Pull first (`signalbox tools pull FOLDER`), or overwrite them with --force." : "Push or commit first, or overwrite them with --force."}`,
      exitCodes.refused,
    );
  }
  if (options.yes) return "yes";
  if (!terminal().stdin.isTTY || options.json)
    throw new CommandRefused("Nothing was changed: add --yes to apply the plan without a question.");
  if (await askYes("Apply?")) return "yes";
  writeNote("Nothing was changed.");
  return "no";
}

interface ShownChange {
  file: string;
  id: string | null;
  action: string;
  drift: boolean;
  difference: string[];
}

async function shownChanges(changes: readonly Change[], sides: Sides): Promise<ShownChange[]> {
  const { toYaml } = await import("../../untrusted/yaml.ts");
  const { differenceOf } = await import("./difference.ts");
  const text = (value: Change["local"]) => (value === null ? "" : toYaml(value));
  return changes.map((change) => {
    const [before, after] = sides(change);
    const { file, id, action, drift } = change;
    return { file, id, action, drift, difference: differenceOf(text(before), text(after)) };
  });
}

const signs: Record<string, string> = { create: "+", update: "~", delete: "-" };

function printPlan(plan: Plan, changes: readonly ShownChange[]): void {
  for (const { file, action, drift, difference } of changes) {
    writeLine(coloured(`${signs[action]} ${file}${drift ? "  (changed on the other side)" : ""}`, "bold"));
    for (const line of difference) {
      writeLine(
        coloured(`    ${cleanText(line)}`, line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : null),
      );
    }
  }
  for (const { file, id } of plan.unmanaged)
    writeNote(`${id} has no file; \`signalbox tools pull\` would write ${file}.`);
  const { create, update, delete: deleted, drift } = summaryOf(plan);
  if (changes.length === 0) writeLine("Nothing differs.");
  else
    writeLine(
      `${create} to create, ${update} to change, ${deleted} to delete${drift > 0 ? `; ${drift} changed on the other side` : ""}.`,
    );
}

function summaryOf({ changes, unmanaged }: Plan) {
  const count = (wanted: Change["action"]) => changes.filter(({ action }) => action === wanted).length;
  return {
    create: count("create"),
    update: count("update"),
    delete: count("delete"),
    drift: changes.filter(({ drift }) => drift).length,
    unmanaged: unmanaged.length,
  };
}

const report = (options: FileOptions, { action, file }: Change): void => {
  if (!options.json)
    writeNote(`${{ create: "created", update: "changed", delete: "deleted", none: "" }[action]} ${file}`);
};

function finish(options: FileOptions, plan: Plan): void {
  const changes = plan.changes.filter(({ action }) => action !== "none");
  const rows = changes.map(({ file, id, action, drift }) => ({ file, id, action, drift }));
  if (options.json) writeLine(JSON.stringify({ applied: true, ...summaryOf(plan), changes: rows }));
}
