import type { Log } from "../../kernel/log.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import { type Config, sandboxUrlsOf } from "../settings/config.ts";
import { isDiskFull } from "./disk-full.ts";
import { connectFirstDirectory } from "./first-directory.ts";
import { firstRunFile, readFirstRun, recordSandboxes, setUpRegion } from "./first-run.ts";

/** Creates the first run, or what is missing of it. On a full disk the start goes on, and the rest follows. */
export interface FirstRunSetUp {
  /** A region is open. */
  setUp(region: Region, store: Store): Promise<void>;
  /** The sandboxes can be called. */
  complete(): Promise<void>;
  /** False while something is missing, because the disk was full. */
  isComplete(): boolean;
  /** Resolves when an attempt that is under way has ended. */
  stop(): Promise<void>;
}

interface Parts {
  /** Connects the first project of each region to the sandboxes. */
  connect(): Promise<void>;
  log: Log;
  now: () => Date;
}

const retryMilliseconds = 2000;

export function createFirstRunSetUp(config: Config, { connect, log, now }: Parts): FirstRunSetUp {
  const regions = new Map<Region, Store>();
  /** Whether something is missing, because the disk was full. */
  let isIncomplete = false;
  let trying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function setUpOne(region: Region, store: Store): Promise<void> {
    const unexpected = await setUpRegion(config, region, store, now);
    if (unexpected !== null) log.warn(unexpected);
    await connectFirstDirectory(config, region, store, now);
  }

  async function finish(): Promise<void> {
    recordSandboxes(config.home, sandboxUrlsOf(config));
    await connect();
  }

  async function unlessFull(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!isIncomplete) log.warn(incompleteText(config));
      isIncomplete = true;
    }
  }

  function tryLater(): void {
    timer = setTimeout(() => {
      trying = tryAgain();
    }, retryMilliseconds).unref();
  }

  /** Each part finds out for itself what is missing. */
  async function tryAgain(): Promise<void> {
    try {
      for (const [region, store] of regions) await setUpOne(region, store);
      await finish();
      isIncomplete = false;
      log.info(`${firstRunFile(config.home)} is complete.`);
    } catch (error) {
      if (stopped) return;
      if (!isDiskFull(error)) log.error({ err: error }, "the first run could not be completed, and is tried again");
      tryLater();
    }
  }

  return {
    async setUp(region, store) {
      regions.set(region, store);
      await unlessFull(() => setUpOne(region, store));
    },
    async complete() {
      if (!isIncomplete) await unlessFull(finish);
      if (isIncomplete) tryLater();
    },
    isComplete: () => !isIncomplete,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await trying;
    },
  };
}

function incompleteText({ home, regions }: Config): string {
  const known = readFirstRun(home).regions;
  const isMissing = regions.some((region) => known[region] === undefined);
  const [state, cure] = isMissing
    ? ["is missing or damaged, and the disk is too full to create it again", "creates it with new keys"]
    : ["cannot be completed, because the disk is full", "completes it"];
  return `${firstRunFile(home)} ${state}. The server starts without it, and ${cure} as soon as there is space.`;
}
