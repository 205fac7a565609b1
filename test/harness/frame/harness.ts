export type StoreKind = "sqlite" | "postgres";
/** "both": one run uses both stores. */
export type HarnessStore = StoreKind | "both";

/** One way to break things, again and again, and a judge of what is left. `list.ts` has them all. */
export interface Harness {
  /** H1 to H15, as in docs/reliability.md. Several harnesses may share one. */
  id: string;
  /** What it is called on the command line. */
  name: string;
  title: string;
  /** Programs without which it is skipped. */
  needs?: readonly string[];
  stores: readonly HarnessStore[];
  /** Of a full run, and of the short version (`--short`). */
  fullCycles: number;
  shortCycles: number;
  /** The tests that run the short version under `npm test`. */
  shortTest: string;
  /** They run other code, because `npm test` cannot have what this needs. README.md says what they leave out. */
  isStandIn?: true;
  run(options: HarnessOptions): Promise<Findings>;
}

export interface HarnessOptions {
  /** The same seed makes the same decisions. The timing of processes still differs from run to run. */
  seed: number;
  cycles: number;
  /** Of a run on both: SQLite. */
  store: StoreKind;
  /** The short version, beside other tests: what depends on the speed of the machine is not judged. */
  isShort: boolean;
  /** Of a soak: how long the load lasts. */
  minutes?: number | undefined;
  /** A line of progress. */
  log(line: string): void;
  /** Empty, and deleted after the run. */
  folder: string;
  /** The address of a new, empty database on a PostgreSQL of the run. */
  newDatabase(): Promise<string>;
}

/** Null: this harness does not count it. */
export interface Findings {
  cycles: number;
  faults: number | null;
  acknowledged: number | null;
  /** Acknowledged, and gone. */
  lost: number | null;
  /** Acknowledged or sent once, and there twice. */
  doubled: number | null;
  /** Calls without an answer, of which either outcome is right. */
  unknown: number | null;
  /** From each fault, or the restart after it, to the first answer. */
  recoverySeconds: number[];
  /** Broken promises, in sentences. Empty if all were kept. */
  broken: string[];
  /** Other figures for docs/reliability.md, as one short sentence. */
  note?: string;
}

export const noFindings = (): Findings => ({
  cycles: 0,
  faults: 0,
  acknowledged: 0,
  lost: 0,
  doubled: 0,
  unknown: 0,
  recoverySeconds: [],
  broken: [],
});

/** Thrown by a run that this machine does not allow, with the reason. The harness then counts as skipped, not as passed. */
export class CannotRun extends Error {}
