import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { type Answer, type CallerOptions, callerOf } from "./calling/caller.ts";
import { callingCommand, printRunAnswer, readJson, readNumber } from "./calling/calling-command.ts";
import { groupCommand } from "./calling/generated-commands.ts";
import { CommandRefused, exitCodes } from "./exit-codes.ts";
import { pullCommand, pushCommand } from "./push-pull/push-pull.ts";
import { printRecord } from "./terminal/print-record.ts";
import { printTable } from "./terminal/print-table.ts";
import { terminal, writeLine } from "./terminal/terminal.ts";

interface Finding {
  pointer: string;
  code: string;
  detail: string;
}

const fileArgument = "a YAML or JSON file, or - for standard input";

export const toolsCommand = (): Command =>
  groupCommand("tools", "Write, publish and run tools; keep them in files", [
    pushCommand(),
    pullCommand(),
    callingCommand("import", "create a tool from a file, or replace the draft of one")
      .argument("<file>", fileArgument)
      .option("--tool <id>", "the tool whose draft it replaces; default: a new tool")
      .option("--connections <json>", "connections of this project, by the ids in the file that they replace", "{}")
      .action(importFile),
    callingCommand("export", "print a tool as YAML")
      .argument("<tool>")
      .option("--version <version>", "draft, published or a number")
      .option("--file <file>", "write it there")
      .action(exportTool),
    callingCommand("validate", "check a file without saving it; exit code 1 if it has mistakes")
      .argument("<file>", fileArgument)
      .action(validate),
    callingCommand("restore", "make a published version the draft again")
      .argument("<tool>")
      .argument("<version>")
      .action(restore),
    callingCommand("trigger", "run a tool and wait for its end; exit code 1 if the run ended badly")
      .argument("<tool>")
      .option("--params <json>", "what it is started with", "{}")
      .option("--version <version>", "draft, published or a number")
      .option("--wait <seconds>", "how long to wait for its end")
      .option("--no-wait", "do not wait")
      .action(trigger),
  ]);

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandRefused(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function printSaved(options: CallerOptions, { tool_id, title, revision, ...rest }: Answer): void {
  if (options.json) writeLine(JSON.stringify({ tool_id, title, revision, ...rest }));
  else printRecord({ tool_id, title, revision });
}

async function importFile(
  file: string,
  options: CallerOptions & { tool?: string; connections: string },
): Promise<void> {
  const saved = await callerOf(options).call("/latest/tools/import", {
    yaml: read(file),
    connections: readJson(options.connections, "--connections"),
    ...(options.tool === undefined ? {} : { tool_id: options.tool }),
  });
  printSaved(options, saved);
}

async function exportTool(tool: string, options: CallerOptions & { version?: string; file?: string }): Promise<void> {
  const wanted = options.version === undefined ? {} : { version: versionOf(options.version) };
  const exported = await callerOf(options).call("/latest/tools/{tool_id}/export", { tool_id: tool, ...wanted });
  if (options.file !== undefined) writeFileSync(options.file, String(exported.yaml));
  else if (options.json) writeLine(JSON.stringify(exported));
  else terminal().stdout.write(String(exported.yaml));
}

const versionOf = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

async function validate(file: string, options: CallerOptions): Promise<void> {
  const { fromYaml } = await import("../untrusted/yaml.ts");
  const content = fromYaml(read(file), Number.POSITIVE_INFINITY);
  if ("errors" in content)
    throw new CommandRefused(`${file}: ${content.errors.map(({ detail }) => detail).join("\n")}`);
  const found = (await callerOf(options).call(
    "/latest/tools/validate",
    content.value as Record<string, unknown>,
  )) as unknown as { valid: boolean; errors: Finding[]; warnings: Finding[] };
  if (options.json) writeLine(JSON.stringify(found));
  else if (found.errors.length + found.warnings.length === 0) writeLine("valid");
  else {
    const rows = (kind: string, findings: Finding[]) => findings.map((finding) => ({ kind, ...finding }));
    printTable([...rows("error", found.errors), ...rows("warning", found.warnings)]);
  }
  if (!found.valid) terminal().exitCode = exitCodes.endedBadly;
}

async function restore(tool: string, version: string, options: CallerOptions): Promise<void> {
  const saved = await callerOf(options).call("/latest/tools/{tool_id}/restore", {
    tool_id: tool,
    version: readNumber(version, "<version>"),
  });
  printSaved(options, saved);
}

async function trigger(
  tool: string,
  options: CallerOptions & { params: string; version?: string; wait?: string | boolean },
): Promise<void> {
  const path = options.wait === false ? "/latest/tools/{tool_id}/trigger_async" : "/latest/tools/{tool_id}/trigger";
  const answer = await callerOf(options).call(path, {
    tool_id: tool,
    params: readJson(options.params, "--params"),
    ...(options.version === undefined ? {} : { version: versionOf(options.version) }),
    ...(typeof options.wait === "string" ? { wait_seconds: readNumber(options.wait, "--wait") } : {}),
  });
  printRunAnswer(options, answer);
}
