import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import { startPostgres, type TestPostgres } from "../../support/databases/postgres.ts";
import { findProgram } from "./find-program.ts";
import { CannotRun, type Findings, type Harness, type HarnessStore, type StoreKind } from "./harness.ts";

export interface Wish {
  harnesses: readonly Harness[];
  seed: number;
  /** Null: as many as a full run of the harness has. */
  cycles: number | null;
  /** Null: every store of the harness. */
  store: StoreKind | null;
  minutes: number | null;
  isShort: boolean;
}

/** What one harness showed on one store; `why` is the reason for which it could not run. */
export interface Outcome {
  harness: Harness;
  store: HarnessStore;
  seed: number;
  command: string;
  seconds: number;
  findings: Findings | null;
  why: string | null;
}

/** Runs one after another. Prints progress, and the command that repeats a finding. */
export async function runHarnesses(wish: Wish, print: (line: string) => void): Promise<Outcome[]> {
  const databases = new Databases();
  const outcomes: Outcome[] = [];
  try {
    for (const harness of wish.harnesses) {
      for (const store of harness.stores.filter(
        (each) => wish.store === null || each === "both" || each === wish.store,
      )) {
        const outcome = await runOne(harness, store, wish, databases, print);
        outcomes.push(outcome);
        tell(outcome, print);
      }
    }
  } finally {
    await databases.stop();
  }
  return outcomes;
}

async function runOne(
  harness: Harness,
  store: HarnessStore,
  { seed, cycles: wanted, minutes, isShort }: Wish,
  databases: Databases,
  print: (line: string) => void,
): Promise<Outcome> {
  const cycles = wanted ?? (isShort ? harness.shortCycles : harness.fullCycles);
  const forMinutes = minutes === null ? "" : ` --minutes ${minutes}`;
  const onStore = store === "both" ? "" : ` --store ${store}`;
  const command = `npm run harness -- ${harness.name}${onStore} --seed ${seed} --cycles ${cycles}${forMinutes}${isShort ? " --short" : ""}`;
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const outcome = (findings: Findings | null, why: string | null): Outcome => ({
    ...{ harness, store, seed, command, findings, why },
    seconds: seconds(),
  });
  print(`${harness.id} ${harness.name}, ${store}, seed ${seed}, ${cycles} cycles: ${harness.title}`);
  const missing = (harness.needs ?? []).filter((name) => findProgram(name) === null);
  if (missing.length > 0) return outcome(null, `this machine lacks ${missing.join(" and ")}`);
  const folder = mkdtempSync(join(tmpdir(), `signalbox-harness-${harness.name}-`));
  try {
    const findings = await harness.run({
      ...{ seed, cycles, isShort, folder },
      store: store === "both" ? "sqlite" : store,
      minutes: minutes ?? undefined,
      log: (line) => print(`  ${line} (${seconds()} s)`),
      newDatabase: () => databases.create(),
    });
    return outcome(findings, null);
  } catch (error) {
    if (error instanceof CannotRun) return outcome(null, error.message);
    const broken = [`The harness itself failed: ${error instanceof Error ? error.stack : String(error)}`];
    return outcome({ ...nothingKnown, broken }, null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const nothingKnown: Findings = {
  ...{ cycles: 0, faults: null, acknowledged: null, lost: null, doubled: null, unknown: null },
  ...{ recoverySeconds: [], broken: [] },
};

function tell({ harness, store, command, seconds, findings, why }: Outcome, print: (line: string) => void): void {
  const name = `${harness.id} ${harness.name}, ${store}`;
  if (findings === null) {
    print(`SKIPPED ${name}: ${why}`);
    return;
  }
  for (const sentence of findings.broken) print(`  ${sentence}`);
  const { broken, recoverySeconds, ...counts } = findings;
  print(`${broken.length === 0 ? "KEPT" : "BROKEN"} ${name}, ${seconds} s: ${JSON.stringify(counts)}`);
  if (broken.length > 0) print(`Repeat it with: ${command}`);
}

/** One PostgreSQL for all harnesses of the run, started when the first asks for a database. */
class Databases {
  #server: Promise<TestPostgres | string> | null = null;
  #count = 0;

  async create(): Promise<string> {
    this.#server ??= startPostgres();
    const server = await this.#server;
    if (typeof server === "string") throw new CannotRun(server);
    const name = `harness_${this.#count++}`;
    const admin = openPostgres(server.url, 1);
    await admin.query(`create database ${name}`);
    await admin.close();
    return server.url.replace(/\/postgres$/, `/${name}`);
  }

  async stop(): Promise<void> {
    const server = await this.#server;
    if (server !== null && typeof server !== "string") await server.stop();
  }
}
