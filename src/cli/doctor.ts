import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { pauseName } from "../http/pause-name.ts";
import type { Region } from "../kernel/regions.ts";
import { type Config, type Flags, portOf, readConfig, SettingRefused } from "../start/config.ts";
import { existingKeyRing, lostKeyRemedy, lostKeyText } from "../start/master-keys.ts";
import { openStore, sqliteFile } from "../start/open-store.ts";
import { regionSettings } from "../start/region-settings.ts";
import { settings } from "../start/settings.ts";
import { ping } from "../store/db.ts";
import { readMark, type StoreMark } from "../store/restore-detection.ts";
import { readMasterKeyId } from "../vault/sealing/data-keys.ts";
import { hasKeyInFolder } from "../vault/sealing/key-ring.ts";

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  /** What to do if it fails, or could be better. */
  remedy?: string;
}

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("Check settings, Node, keys, stores and ports, and say what to fix; exit code 1 if something is wrong")
    .option("--home <folder>", "the data folder")
    .option("--port <port>", "first port")
    .option("--json", "print JSON")
    .action(async (flags: { home?: string; port?: string; json?: true }) => {
      const findings = await checkSettings({ home: flags.home, port: flags.port });
      if (flags.json) console.log(JSON.stringify({ results: findings.map(shown) }));
      else for (const finding of findings) console.log(lineOf(finding));
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });

/** `what` is the older name of `check`. */
const shown = ({ what, ok, detail, remedy }: Finding) => ({ check: what, what, ok, detail, remedy: remedy ?? null });

const lineOf = ({ ok, what, detail, remedy }: Finding): string =>
  `${ok ? "ok   " : "WRONG"} ${what}: ${detail}${!ok && remedy !== undefined ? `\n      → ${remedy}` : ""}`;

/** An unusable setting ends the checks, because all others depend on the settings. */
async function checkSettings(flags: Flags): Promise<Finding[]> {
  try {
    return await runChecks(readConfig(process.env, flags));
  } catch (error) {
    if (!(error instanceof SettingRefused)) throw error;
    const what = error.message.startsWith(settings.masterKey.name) ? "master key" : "settings";
    const remedy = "Set it as docs/settings.md says, or take it away; then run doctor again.";
    return [{ what, ok: false, detail: error.message, remedy }];
  }
}

async function runChecks(config: Config): Promise<Finding[]> {
  const stores: CheckedStore[] = [];
  for (const region of config.regions) stores.push(await storeOf(config, region));
  const findings: Finding[] = [
    { what: "settings", ok: true, detail: "every SIGNALBOX_ variable can be used" },
    { what: "node", ok: Number(process.versions.node.split(".")[0]) >= 26, detail: `version ${process.versions.node}` },
    masterKeyOf(config, stores),
    dataFolder(config),
  ];
  for (const { region, finding, restored } of stores) {
    findings.push(finding, ...(restored ? [restored] : []), await portFor(config, region));
  }
  const pause = await worstPause(config);
  return pause ? [...findings, pause] : findings;
}

/** Whether the key can be read, and is the one that the secrets in the stores need. */
function masterKeyOf(config: Config, stores: CheckedStore[]): Finding {
  const what = "master key";
  const from = config.masterKey ? "from SIGNALBOX_MASTER_KEY" : `master.key in ${config.home}`;
  const lost = config.masterKey || hasKeyInFolder(config.home) ? null : lostKeyText(config);
  if (lost !== null) return { what, ok: false, detail: lost, remedy: lostKeyRemedy };
  try {
    const ring = config.masterKey || hasKeyInFolder(config.home) ? existingKeyRing(config) : null;
    const missing = stores.find(({ keyId }) => keyId !== null && !ring?.find(keyId));
    if (missing) {
      const detail = `the secrets in the store of region ${missing.region} need the master key ${missing.keyId}, and ${ring ? `${from} is ${ring.current.id}` : "there is none"}`;
      return { what, ok: false, detail, remedy: lostKeyRemedy };
    }
    const none = "not set: `signalbox serve` needs one, `npm start` makes one in the data folder";
    return { what, ok: true, detail: ring ? `${from}, ${ring.current.id}` : none };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return { what, ok: false, detail: `${from} cannot be used: ${why}`, remedy: lostKeyRemedy };
  }
}

/** Tries to write: permissions, a read-only mount and a full disk show only in an attempt. */
function dataFolder({ home }: Config): Finding {
  const what = "data folder";
  const folder = existing(resolve(home));
  const probe = join(folder, `.signalbox-doctor.${process.pid}`);
  try {
    writeFileSync(probe, "x");
    rmSync(probe);
    return { what, ok: true, detail: existsSync(home) ? `${home} can be written` : `${home} can be made` };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    const remedy =
      "Give the server's user the right to write there, make room on the disk, or name another folder with SIGNALBOX_HOME or --home.";
    return { what, ok: false, detail: `${home} cannot be written: ${why}`, remedy };
  }
}

const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));

/** A store, and the master key that it needs. */
interface CheckedStore {
  region: Region;
  finding: Finding;
  keyId: string | null;
  restored?: Finding | null;
}

async function storeOf(config: Config, region: Region): Promise<CheckedStore> {
  const kind = config.databaseUrls[region] ? "PostgreSQL" : "SQLite";
  const what = `store ${region}`;
  // A check must not create anything.
  if (kind === "SQLite" && !existsSync(sqliteFile(config, region))) {
    return {
      region,
      finding: { what, ok: true, detail: "SQLite, made in the data folder at the first start" },
      keyId: null,
    };
  }
  try {
    const store = await openStore(config, region);
    try {
      await ping(store);
      const keyId = await readMasterKeyId(store);
      const finding = { what, ok: true, detail: `${kind} answers, schema up to date` };
      return { region, finding, keyId, restored: restoreOf(region, await readMark(store)) };
    } finally {
      await store.close();
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    const detail = `${kind}: ${error instanceof Error ? error.message : error}${cause}`;
    const remedy =
      kind === "SQLite"
        ? `Look at the rights of ${sqliteFile(config, region)}; where it is damaged, \`signalbox restore --region ${region} --from FILE\` puts a backup in its place.`
        : `Look at ${regionSettings.databaseUrl(region).name} and at the server that it names.`;
    return { region, finding: { what, ok: false, detail, remedy }, keyId: null };
  }
}

function restoreOf(region: Region, mark: StoreMark | null): Finding | null {
  if (!mark?.restoredAt) return null;
  const from = mark.restoredFrom === null ? "" : `, which knew what had happened until ${mark.restoredFrom}`;
  return {
    what: `restore ${region}`,
    ok: true,
    detail: `restored from a backup at ${mark.restoredAt}${from}`,
    remedy: "Look at runs that are outcome_unknown: `signalbox runs list --status outcome_unknown` has them.",
  };
}

function portFor(config: Config, region: Region): Promise<Finding> {
  const port = portOf(config.port, region);
  const what = `port ${port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () =>
      resolve({ what, ok: true, detail: `in use: a server is running there (region ${region})` }),
    );
    probe.listen(port, config.host, () =>
      probe.close(() => resolve({ what, ok: true, detail: `free for region ${region}` })),
    );
  });
}

const askMilliseconds = 5_000;

/** Asks the running server, if there is one. The metrics say what blocked it; its log says for which tenant. */
async function worstPause(config: Config): Promise<Finding | null> {
  const what = "event loop";
  for (const region of config.regions) {
    const address = new URL("/metrics", addressOf(config, region));
    const answer = await fetch(address, { signal: AbortSignal.timeout(askMilliseconds) }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (!text.includes(pauseName)) continue;
    const worst = readWorst(text);
    if (!worst) return { what, ok: true, detail: "has not stood still since the server started" };
    const { seconds, operation, step, at } = worst;
    const during = step === "" ? operation : `${operation} ${step}`;
    return {
      what,
      ok: true,
      detail: `stood still for ${seconds.toFixed(2)} s at most, at ${at.toISOString()}, during ${during}`,
      remedy: "The log has a line «the event loop stood still» with the organization and the project.",
    };
  }
  return null;
}

const addressOf = ({ host, port }: Config, region: Region): string => {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${portOf(port, region)}`;
};

/** Reads the two lines of the metrics. */
function readWorst(text: string): { seconds: number; operation: string; step: string; at: Date } | null {
  const worst = new RegExp(`^${pauseName}_worst\\{operation="([^"]*)",step="([^"]*)"\\} (\\S+)$`, "m").exec(text);
  const at = new RegExp(`^${pauseName}_worst_at (\\S+)$`, "m").exec(text);
  if (!worst || !at) return null;
  const [, operation = "", step = "", seconds] = worst;
  return { seconds: Number(seconds), operation, step, at: new Date(Number(at[1]) * 1000) };
}
