import type { Store } from "../../store/db.ts";
import type { ReportedLimits } from "../reported/reported-limits.ts";
import type { RowMeasure } from "../shown/list-limits.ts";
import type { LimitState, Viewer } from "../shown/shown-limits.ts";
import type { LimitClock } from "../state/clock.ts";
import { isPartOf, isSharedByAll } from "../state/row-keys.ts";
import { deleteSamplesBefore, listSamples, saveSamples } from "./history.store.ts";
import { historiesOf, keptHours, type LimitHistory, type Sample, stepOf } from "./history.ts";
import { createHistorySampler } from "./sample-history.ts";

interface HistoryParts {
  store: Store;
  clock: LimitClock;
  reported: ReportedLimits;
  /** Whether this process samples what its calls use. */
  isKept: boolean;
  /** The limits in the rows of these subjects, as they are now. */
  measure(subjects: readonly string[]): Promise<RowMeasure[]>;
  /** The subjects that connections of the project have used. */
  uses(projectId: string): Promise<{ subject: string }[]>;
  failed(error: unknown): void;
}

/** What was used of each limit in the last hours. */
export function createHistory({ store, clock, reported, isKept, measure, uses, failed }: HistoryParts) {
  const sampler = createHistorySampler(clock, takeSamples, failed);

  async function takeSamples(subjects: readonly string[]): Promise<void> {
    const measured = await measure(subjects);
    const samples = measured.map(({ subject, name, now, used, max, resets_at: resetsAt }) => {
      const count = Math.round(used);
      return { subject, name, at: isoOf(stepOf(now)), peak: count, used: count, max, resetsAt };
    });
    const newest = measured[0]?.now;
    if (newest === undefined) return;
    await store.transaction((db) => saveSamples(db, samples));
    await deleteSamplesBefore(store, isoOf(stepOf(newest) - keptHours * 3_600_000));
  }

  /** Only a project that has used a subject sees what was used of it. */
  async function samplesOf({ projectId, organizationId }: Viewer): Promise<Sample[]> {
    const reports = reported.ofProject(projectId).map(({ known }) => known);
    const met = new Set([...(await uses(projectId)), ...reports].map(({ subject }) => subject));
    const samples: Sample[] = [];
    for (const subject of met) samples.push(...(await listSamples(store, subject)));
    return samples.filter(({ subject, name }) => !isSharedByAll(subject) || isPartOf(name, organizationId));
  }

  return {
    notice: isKept ? sampler.notice : () => {},
    /** In the order of `shown`. */
    async of(shown: readonly LimitState[], viewer: Viewer, hours: number): Promise<LimitHistory[]> {
      return historiesOf(await samplesOf(viewer), shown, hours, clock.wall());
    },
    close: sampler.close,
  };
}

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
