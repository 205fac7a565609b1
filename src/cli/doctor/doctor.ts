import { existsSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { smtpProblem } from "../../access/mails/check-smtp.ts";
import type { Region } from "../../kernel/regions.ts";
import { type Config, type Flags, readConfig, readIfSet } from "../../start/settings/config.ts";
import { regionSettings } from "../../start/settings/region-settings.ts";
import { SettingRefused } from "../../start/settings/setting-refused.ts";
import { settings } from "../../start/settings/settings.ts";
import { regionOption } from "../calling/calling-command.ts";
import { exitCodes } from "../exit-codes.ts";
import { wrapText } from "../terminal/fit-text.ts";
import { coloured, terminal, widthOf, writeLine } from "../terminal/terminal.ts";
import { checkProxy } from "./check-proxy.ts";
import { checkPauses, checkPort } from "./check-server.ts";
import { type CheckedStore, checkMasterKey, checkStore } from "./check-stores.ts";
import type { Finding } from "./finding.ts";

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description(
      "Check settings, Node, keys, stores, mail, proxies and clocks, and say how to fix what is wrong; exit code 1 if something is. It changes nothing",
    )
    .option("--home <folder>", "the data folder, default ./data or SIGNALBOX_HOME")
    .option("--port <port>", "first port")
    .addOption(regionOption("one region; default: all of SIGNALBOX_REGIONS"))
    .option("--json", "print one JSON value")
    .action(async (flags: { home?: string; port?: string; region?: Region; json?: true }) => {
      const findings = await checkSettings({ home: flags.home, port: flags.port, regions: flags.region });
      if (flags.json) writeLine(JSON.stringify({ results: findings.map(shown), next: null }));
      else for (const line of findings.flatMap(linesOf)) writeLine(line);
      if (findings.some((finding) => !finding.ok)) terminal().exitCode = exitCodes.endedBadly;
    });

/** `what` is the older name of `check`. */
const shown = ({ what, ok, detail, remedy }: Finding) => ({ check: what, what, ok, detail, remedy: remedy ?? null });

const indent = " ".repeat(6);

/** On a terminal, long lines are broken between words, and what follows stands below the first word. */
function linesOf({ ok, what, detail, remedy }: Finding): string[] {
  const width = (widthOf(terminal().stdout) ?? Number.POSITIVE_INFINITY) - indent.length;
  const [first = "", ...rest] = wrapText(`${what}: ${detail}`, width);
  const advice = ok || remedy === undefined ? [] : wrapText(`→ ${remedy}`, width);
  const word = coloured(ok ? "ok   " : "WRONG", ok ? "green" : "red");
  return [`${word} ${first}`, ...[...rest, ...advice].map((line) => indent + line)];
}

/** An unusable setting ends the checks, because all others depend on the settings. */
async function checkSettings(flags: Flags): Promise<Finding[]> {
  try {
    return await runChecks(readConfig(terminal().environment, flags));
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error;
    const what = error.message.startsWith(settings.masterKey.name) ? "master key" : "settings";
    const remedy = "Set it as docs/settings.md says, or remove it; then run doctor again.";
    return [{ what, ok: false, detail: error.message, remedy }];
  }
}

async function runChecks(config: Config): Promise<Finding[]> {
  const stores: CheckedStore[] = [];
  for (const region of config.regions) stores.push(await checkStore(config, region));
  const findings: Finding[] = [
    { what: "settings", ok: true, detail: "every SIGNALBOX_ variable can be used" },
    checkNode(),
    ...checkProcesses(config),
    await checkMasterKey(config, stores),
    checkFolder(config),
  ];
  for (const store of stores) {
    findings.push(...store.findings, await checkPort(config, store.region));
    if (hasAddress(store.region)) findings.push(...(await checkProxy(config, store.region)));
  }
  findings.push(...(await checkMail(config)));
  const pause = await checkPauses(config);
  return pause ? [...findings, pause] : findings;
}

/** An address of its own means that something stands in front of the region. */
const hasAddress = (region: Region): boolean =>
  readIfSet(terminal().environment, regionSettings.baseUrl(region)) !== null;

function checkNode(): Finding {
  const ok = Number(process.versions.node.split(".")[0]) >= 26;
  const remedy = "Start it with ./signalbox, which uses the Node of the package.";
  return { what: "node", ok, detail: `version ${process.versions.node}`, ...(ok ? {} : { remedy }) };
}

/** More processes than cores take turns, and each needs memory and connections. */
function checkProcesses({ processes }: Config): Finding[] {
  if (processes === 1) return [];
  const cores = availableParallelism();
  const detail = `${processes} on ${cores} ${cores === 1 ? "core" : "cores"}`;
  const remedy = `Set ${settings.processes.name} to auto, or to ${cores} at most.`;
  return [{ what: "processes", ok: true, detail, ...(processes > cores ? { remedy } : {}) }];
}

async function checkMail({ smtpUrl, mailFrom }: Config): Promise<Finding[]> {
  const what = "mail";
  if (!smtpUrl) {
    const detail = "no SMTP server is set: mails are written to a file in the data folder";
    return [{ what, ok: true, detail, remedy: `Set ${settings.smtpUrl.name} to send them.` }];
  }
  const problem = await smtpProblem(smtpUrl);
  if (problem === null) return [{ what, ok: true, detail: `the SMTP server accepts us, as ${mailFrom}` }];
  const remedy = `Check ${settings.smtpUrl.name}, and that the SMTP server is running and can be reached from here.`;
  return [{ what, ok: false, detail: `the SMTP server cannot be used: ${problem}`, remedy }];
}

/** Tries to write: permissions, a read-only mount and a full disk show only in an attempt. */
function checkFolder({ home }: Config): Finding {
  const what = "data folder";
  const folder = existing(resolve(home));
  const probe = join(folder, `.signalbox-doctor.${process.pid}`);
  try {
    tryToWrite(probe);
    return { what, ok: true, detail: existsSync(home) ? `${home} can be written` : `${home} can be created` };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    const remedy =
      "Let the server's user write there, free space on the disk, or name another folder with SIGNALBOX_HOME or --home.";
    return { what, ok: false, detail: `${home} cannot be written: ${why}`, remedy };
  }
}

/** A full disk creates the file and refuses its content: nothing may stay of it. */
function tryToWrite(probe: string): void {
  try {
    writeFileSync(probe, "x");
  } finally {
    if (existsSync(probe)) rmSync(probe);
  }
}

const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));
