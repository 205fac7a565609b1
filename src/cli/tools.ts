import { readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { fromYaml } from "../untrusted/yaml.ts";
import { type CallerOptions, callingCommand, callServer, readJson } from "./caller.ts";
import { CommandRefused, print, printRows } from "./command.ts";

interface ToolRow {
  tool_id: string;
  title: string;
  steps: unknown[];
  revision: number;
  published_version: number | null;
  updated_at: string;
}

interface RunEnd {
  run_id: string;
  status?: string;
}

interface Finding {
  pointer: string;
  code: string;
  detail: string;
}

const fileArgument = "a YAML or JSON file, or - for standard input";

export const toolsCommand = (): Command =>
  new Command("tools")
    .description("Write, publish and run tools, on a running server")
    .addCommand(callingCommand("list", "list the project's tools").action(list))
    .addCommand(callingCommand("get", "show a tool's draft, as JSON").argument("<tool>").action(get))
    .addCommand(
      callingCommand("import", "make a tool from a file, or put it into a tool's draft")
        .argument("<file>", fileArgument)
        .option("--tool <id>", "whose draft it becomes; a new tool where it is left out")
        .option("--connections <json>", "connections of this project by those that the file names", "{}")
        .action(importFile),
    )
    .addCommand(
      callingCommand("export", "print a tool as YAML")
        .argument("<tool>")
        .option("--version <version>", "draft, published or a number")
        .option("--file <file>", "write it there")
        .action(exportTool),
    )
    .addCommand(
      callingCommand("validate", "check a file without keeping it; exit code 1 where it has mistakes")
        .argument("<file>", fileArgument)
        .action(validate),
    )
    .addCommand(
      callingCommand("publish", "publish the draft as the version that runs use")
        .argument("<tool>")
        .option("--note <text>", "what is new in it")
        .action(publish),
    )
    .addCommand(callingCommand("versions", "list what was published of a tool").argument("<tool>").action(versions))
    .addCommand(
      callingCommand("restore", "make a published version the draft again")
        .argument("<tool>")
        .argument("<version>")
        .action(restore),
    )
    .addCommand(callingCommand("delete", "delete a tool and its schedules").argument("<tool>").action(remove))
    .addCommand(
      callingCommand("trigger", "run a tool; exit code 1 where the run did not succeed")
        .argument("<tool>")
        .option("--params <json>", "what it is started with", "{}")
        .option("--version <version>", "draft, published or a number")
        .option("--wait <seconds>", "how long to wait for its end")
        .option("--no-wait", "do not wait")
        .action(trigger),
    );

const at = (tool: string, word: string): string => `tools/${encodeURIComponent(tool)}/${word}`;

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandRefused(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

async function list(options: CallerOptions): Promise<void> {
  const { results } = await callServer<{ results: ToolRow[] }>(options, "tools/list", { limit: 100 });
  const rows = results.map(({ tool_id, title, steps, published_version, updated_at }) => ({
    tool_id,
    title,
    steps: steps.length,
    published_version,
    updated_at,
  }));
  printRows(rows, options);
}

async function get(tool: string, options: CallerOptions): Promise<void> {
  console.log(JSON.stringify(await callServer(options, at(tool, "get")), null, 2));
}

async function importFile(
  file: string,
  options: CallerOptions & { tool?: string; connections: string },
): Promise<void> {
  const { tool_id, title, revision } = await callServer<ToolRow>(options, "tools/import", {
    yaml: read(file),
    connections: readJson(options.connections, "--connections"),
    ...(options.tool === undefined ? {} : { tool_id: options.tool }),
  });
  print({ tool_id, title, revision }, options);
}

async function exportTool(tool: string, options: CallerOptions & { version?: string; file?: string }): Promise<void> {
  const wanted = options.version === undefined ? {} : { version: versionOf(options.version) };
  const exported = await callServer<{ yaml: string; version: number | null }>(options, at(tool, "export"), wanted);
  if (options.file !== undefined) writeFileSync(options.file, exported.yaml);
  else if (options.json) console.log(JSON.stringify(exported));
  else process.stdout.write(exported.yaml);
}

const versionOf = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

async function validate(file: string, options: CallerOptions): Promise<void> {
  const content = fromYaml(read(file), Number.POSITIVE_INFINITY);
  if ("errors" in content)
    throw new CommandRefused(`${file}: ${content.errors.map(({ detail }) => detail).join("\n")}`);
  const found = await callServer<{ valid: boolean; errors: Finding[]; warnings: Finding[] }>(
    options,
    "tools/validate",
    content.value,
  );
  if (options.json) console.log(JSON.stringify(found));
  else if (found.errors.length + found.warnings.length === 0) console.log("valid");
  else {
    const rows = (kind: string, findings: Finding[]) => findings.map((finding) => ({ kind, ...finding }));
    printRows([...rows("error", found.errors), ...rows("warning", found.warnings)], options);
  }
  if (!found.valid) process.exitCode = 1;
}

async function publish(tool: string, options: CallerOptions & { note?: string }): Promise<void> {
  const body = options.note === undefined ? {} : { note: options.note };
  print(await callServer<Record<string, unknown>>(options, at(tool, "publish"), body), options);
}

async function versions(tool: string, options: CallerOptions): Promise<void> {
  const { results } = await callServer<{ results: Record<string, unknown>[] }>(options, at(tool, "versions"));
  printRows(
    results.map(({ version, note, created_by, created_at }) => ({ version, note, created_by, created_at })),
    options,
  );
}

async function restore(tool: string, version: string, options: CallerOptions): Promise<void> {
  const { tool_id, title, revision } = await callServer<ToolRow>(options, at(tool, "restore"), {
    version: versionOf(version),
  });
  print({ tool_id, title, revision }, options);
}

async function remove(tool: string, options: CallerOptions): Promise<void> {
  print(await callServer<Record<string, unknown>>(options, at(tool, "delete")), options);
}

async function trigger(
  tool: string,
  options: CallerOptions & { params: string; version?: string; wait?: string | boolean },
): Promise<void> {
  const waits = options.wait !== false;
  const run = await callServer<RunEnd>(options, at(tool, waits ? "trigger" : "trigger_async"), {
    params: readJson(options.params, "--params"),
    ...(options.version === undefined ? {} : { version: versionOf(options.version) }),
    ...(typeof options.wait === "string" ? { wait_seconds: Number(options.wait) } : {}),
  });
  print({ ...run }, options);
  if (waits && run.status !== "succeeded") process.exitCode = 1;
}
