import { statSync } from "node:fs";
import { type Region, regions } from "../../kernel/regions.ts";
import { existingKeyRing, fileKeyText, lostKeyRemedy, lostKeyText } from "../../start/master-keys.ts";
import { damagedRemedy } from "../../start/region/last-backup.ts";
import { openReadOnlyStore, sqliteFile, storeName } from "../../start/region/open-database.ts";
import type { Config } from "../../start/settings/config.ts";
import { regionSettings } from "../../start/settings/region-settings.ts";
import { readClock } from "../../store/clock/expiry-clock.ts";
import { confirmedAfterMilliseconds, judgeClock } from "../../store/clock/judge-clock.ts";
import { appliedMigrations, isTable, knownMigrations, newerSchema, unbuiltIndexes } from "../../store/migrate.ts";
import { clockOf, connectionsAllowed, type ReadOnlyStore } from "../../store/read-only-store.ts";
import { readMark, type StoreMark } from "../../store/restore-detection.ts";
import { readMasterKeyId } from "../../vault/sealing/data-keys.ts";
import { hasKeyInFolder } from "../../vault/sealing/key-ring.ts";
import { checkPartitions } from "./check-partitions.ts";
import type { Finding } from "./finding.ts";

/** A store, and the master key that it needs. */
export interface CheckedStore {
  region: Region;
  findings: Finding[];
  keyId: string | null;
}

/** "`doctor` changes nothing": the store is looked at, and neither created nor migrated. */
export async function checkStore(config: Config, region: Region): Promise<CheckedStore> {
  const what = `store ${region}`;
  const where = storeName(config, region);
  try {
    const store = await openReadOnlyStore(config, region);
    if (store === null || isEmptyFile(config, region)) {
      await store?.close();
      const detail = `${where}: not there yet; the first start, or \`signalbox migrate\`, creates it`;
      return { region, findings: [{ what, ok: true, detail }], keyId: null };
    }
    try {
      const { findings, keyId } = await checkOpened(store, region, where);
      const more = [...(await checkPartitions(store, region)), ...(await checkConnections(store, config, region))];
      return { region, findings: [...findings, ...more], keyId };
    } finally {
      await store.close();
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    const detail = `${where}: ${error instanceof Error ? error.message : error}${cause}`;
    return { region, findings: [{ what, ok: false, detail, remedy: remedyOf(config, region) }], keyId: null };
  }
}

/** Nothing has been written into it: SQLite opens it like a new one. */
const isEmptyFile = (config: Config, region: Region): boolean =>
  config.databaseUrls[region] === null && statSync(sqliteFile(config, region)).size === 0;

const remedyOf = (config: Config, region: Region): string =>
  config.databaseUrls[region] === null
    ? `Check who may read ${sqliteFile(config, region)}. If it is damaged: ${damagedRemedy(config, region)}`
    : `Check ${regionSettings.databaseUrl(region).name}, and that the server that it names is running and can be reached from here.`;

async function checkOpened(store: ReadOnlyStore, region: Region, where: string): Promise<Omit<CheckedStore, "region">> {
  const what = `store ${region}`;
  const applied = await appliedMigrations(store);
  const known = knownMigrations();
  const newest = known.at(-1)?.number ?? 0;
  const clock = await checkClock(store, region);
  if (applied === null) {
    const detail = `${where}: empty; the first start, or \`signalbox migrate\`, creates its schema`;
    return { findings: [{ what, ok: true, detail }, ...clock], keyId: null };
  }
  const has = Math.max(0, ...applied);
  const newer = await newerSchema(store);
  if (newer && !newer.mayUse) {
    const detail = `${where}: its schema ${has} is newer than this program, which knows ${newest}`;
    return {
      findings: [{ what, ok: false, detail, remedy: "Start the newer program, or restore a backup." }],
      keyId: null,
    };
  }
  // Those of one migration are built before the next one is applied.
  const unbuilt = await unbuiltIndexes(store);
  const indexes = unbuilt.length > 0 ? `; being built, or left to the next start: ${unbuilt.join(", ")}` : "";
  if (has < newest) {
    const detail = `${where}: schema ${has}; the next start brings it to ${newest}${indexes}`;
    const keyId = (await isTable(store, "master_key")) ? await readMasterKeyId(store) : null;
    return { findings: [{ what, ok: true, detail }, ...clock], keyId };
  }
  const mark = await readMark(store);
  const state = newer
    ? `schema ${has} of a newer program, beside which this one (${newest}) may work`
    : "schema up to date";
  const findings = [{ what, ok: true, detail: `${where}: responds, ${state}${indexes}` }, ...clock];
  return {
    findings: [...findings, ...markedLater(region, mark), ...(await jumpOf(store, region)), ...restoreOf(region, mark)],
    keyId: await readMasterKeyId(store),
  };
}

/** One more for notifications. A pooler in front of the server needs fewer, so this is advice. */
async function checkConnections(store: ReadOnlyStore, config: Config, region: Region): Promise<Finding[]> {
  const allowed = await connectionsAllowed(store);
  if (allowed === null) return [];
  const needed = config.processes * (config.databaseConnections + 1);
  const detail = `this node opens up to ${needed} (${config.processes} × ${config.databaseConnections + 1}); the server allows ${allowed} for all nodes and regions`;
  const remedy =
    "Raise max_connections of PostgreSQL, lower SIGNALBOX_DATABASE_CONNECTIONS or SIGNALBOX_PROCESSES, or put a pooler in front.";
  return [{ what: `connections ${region}`, ok: true, detail, ...(needed < allowed ? {} : { remedy }) }];
}

const skewSecondsMax = 5;
const clockRemedy =
  "Synchronize the clock of this machine with NTP (`timedatectl set-ntp true`), and that of the other one.";

/** Leases, schedules and expiries compare times of several machines. */
async function checkClock(store: ReadOnlyStore, region: Region): Promise<Finding[]> {
  const asked = Date.now();
  const theirs = await clockOf(store);
  if (!theirs) return [];
  return [clockFinding(`clock ${region}`, "PostgreSQL", theirs.getTime(), (asked + Date.now()) / 2)];
}

export function clockFinding(what: string, other: string, theirs: number, ours: number): Finding {
  const seconds = Math.round((ours - theirs) / 100) / 10;
  const isSame = Math.abs(seconds) <= skewSecondsMax;
  const detail = isSame
    ? `within ${skewSecondsMax} s of ${other}`
    : `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ${other}`;
  return { what, ok: isSame, detail, ...(isSame ? {} : { remedy: clockRemedy }) };
}

/** A server has written a later time than it is now. */
function markedLater(region: Region, mark: StoreMark | null): Finding[] {
  const ahead = mark ? Date.parse(mark.markedAt) - Date.now() : 0;
  if (ahead <= skewSecondsMax * 1000) return [];
  const detail = `the store of region ${region} was used at ${mark?.markedAt}, which is in the future: a clock is wrong, or was`;
  return [{ what: `clock ${region}`, ok: false, detail, remedy: clockRemedy }];
}

/** What a server has found, or the next start will find. */
async function jumpOf(store: ReadOnlyStore, region: Region): Promise<Finding[]> {
  const now = (await clockOf(store)) ?? new Date();
  const { aheadMilliseconds, jumpedAt } = judgeClock(await readClock(store), now, 0);
  if (jumpedAt === null) return [];
  const days = Math.round(aheadMilliseconds / 86_400_000);
  const until = new Date(jumpedAt.getTime() + confirmedAfterMilliseconds).toISOString();
  const detail = `the clock has jumped ${days} days ahead: until ${until}, nothing expires by that`;
  const remedy = `If the clock is wrong, set it back: nothing is lost. If it is right: \`signalbox confirm-clock --region ${region}\`.`;
  return [{ what: `clock ${region}`, ok: false, detail, remedy }];
}

function restoreOf(region: Region, mark: StoreMark | null): Finding[] {
  if (!mark?.restoredAt) return [];
  const from = mark.restoredFrom === null ? "" : `, which knew what had happened until ${mark.restoredFrom}`;
  return [
    {
      what: `restore ${region}`,
      ok: true,
      detail: `restored from a backup at ${mark.restoredAt}${from}`,
      remedy: "Look at the runs whose outcome is unknown: `signalbox runs list --status outcome_unknown`.",
    },
  ];
}

/** Whether the key can be read, and is the one that the secrets in the stores need. */
export async function checkMasterKey(config: Config, stores: CheckedStore[]): Promise<Finding> {
  const what = "master key";
  const from = config.masterKey ? "from SIGNALBOX_MASTER_KEY" : `master.key in ${config.home}`;
  const hasKey = config.masterKey !== null || hasKeyInFolder(config.home);
  const lost = hasKey
    ? null
    : (lostKeyText(config) ??
      (await fileKeyText(
        config,
        regions.filter((region) => !config.regions.includes(region)),
      )));
  if (lost !== null) return { what, ok: false, detail: lost, remedy: lostKeyRemedy };
  try {
    const ring = hasKey ? existingKeyRing(config) : null;
    const missing = stores.find(({ keyId }) => keyId !== null && !ring?.find(keyId));
    if (missing) {
      const detail = `the secrets in the store of region ${missing.region} need the master key ${missing.keyId}, and ${ring ? `${from} is ${ring.current.id}` : "there is none"}`;
      return { what, ok: false, detail, remedy: lostKeyRemedy };
    }
    const none = "not set: `signalbox serve` needs one, `npm start` creates one in the data folder";
    return { what, ok: true, detail: ring ? `${from}, ${ring.current.id}` : none };
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return { what, ok: false, detail: `${from} cannot be used: ${why}`, remedy: lostKeyRemedy };
  }
}
