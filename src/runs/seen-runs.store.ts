import type { Db } from "../store/db.ts";

/** What can be seen of a run. The text changes with it. */
export interface SeenRun {
  hasEnded: boolean;
  seen: string;
}

interface RunRow {
  id: string;
  status: string;
  fence: number;
  cancel_asked: number;
  finished_at: string | null;
  /** The size of what was sent so far, of an open run. */
  weight: number;
}

interface StepsRow {
  run_id: string;
  steps: number;
  finished: number;
  tries: number;
  probes: number;
  weight: number;
}

/** The newest runs, and in each open status the newest of it: older ones that wait longer than that are not watched. */
const newestMax = 50;
const openMax = 100;
const workedOnMax = 50;

const columns = "id, status, fence, cancel_asked, finished_at";
/** The first condition is that of the index `runs_not_succeeded`. */
const inStatus = (status: string, max: number, wanted = `${columns}, octet_length(attempts) as weight`): string =>
  `select ${wanted} from runs where project_id = $1 and status <> 'succeeded' and status = '${status}'
    order by id desc limit ${max}`;

const openRuns = ["queued", "running", "waiting", "outcome_unknown"]
  .map((status) => `select * from (${inStatus(status, openMax)}) as ${status}`)
  .join(" union all ");

/** Of a project, by id. A few hundred short rows at most, all found by an index. */
export async function readSeenRuns(db: Db, projectId: string): Promise<Map<string, SeenRun>> {
  const newest = await db.query<RunRow>(
    `select ${columns}, 0 as weight from runs where project_id = $1 order by id desc limit ${newestMax}`,
    [projectId],
  );
  const open = await db.query<RunRow>(openRuns, [projectId]);
  const steps = await db.query<StepsRow>(
    `select run_id, count(*) as steps, count(finished_at) as finished, sum(tries) as tries, sum(looks) as probes,
            sum(case when finished_at is null then octet_length(attempts) else 0 end) as weight
       from run_steps where run_id in (${inStatus("running", workedOnMax, "id")}) group by run_id`,
    [projectId],
  );
  const progress = new Map(steps.map(({ run_id, ...counts }) => [run_id, Object.values(counts).join(".")]));
  return new Map([...newest, ...open].map((run) => [run.id, seenOf(run, progress.get(run.id) ?? "")]));
}

const seenOf = ({ status, fence, cancel_asked, finished_at, weight }: RunRow, progress: string): SeenRun => ({
  hasEnded: finished_at !== null && status !== "outcome_unknown",
  seen: `${status} ${fence} ${cancel_asked} ${finished_at ?? ""} ${weight} ${progress}`,
});
