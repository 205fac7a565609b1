/** What a process that runs the three calls again and again is asked, and what it answers. */

export interface RunsJob {
  /** How many runs are under way at once. */
  callers: number;
  seconds: number;
  /** Of ours: the caller waits for each run, as `trigger` does, so that a run is stored with its first write or its end. */
  areWaitedFor?: boolean;
}

export interface RunsResult {
  done: number;
  seconds: number;
}

/** Keeps so many runs going for so long; one that does not end well ends the measurement. */
export function serveJobs(run: (job: RunsJob) => Promise<void>): void {
  process.on("message", (job: RunsJob) => {
    keepGoing(job, run).then(
      (result) => process.send?.({ result }),
      (error) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on("SIGTERM", () => process.exit(0));
}

async function keepGoing(job: RunsJob, run: (job: RunsJob) => Promise<void>): Promise<RunsResult> {
  const { callers, seconds } = job;
  const from = performance.now();
  let done = 0;
  const caller = async () => {
    while (performance.now() - from < seconds * 1000) {
      await run(job);
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { done, seconds: (performance.now() - from) / 1000 };
}

/** What each of the three steps asks the system. */
export const askedPath = "/v9/projects/web";
export const askedTimes = 3;
