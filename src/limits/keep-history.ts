import type { Store } from "../store/db.ts";
import type { LimitClock } from "./clock.ts";
import { deleteSamplesBefore, listSamples, saveSamples } from "./history.store.ts";
import { historiesOf, keptHours, type LimitHistory, type Sample, stepOf } from "./history.ts";
import { listUses } from "./limits.store.ts";
import type { RowMeasure } from "./list-limits.ts";
import type { ReportedLimits } from "./reported-limits.ts";
import { isPartOf, isSharedByAll } from "./row-keys.ts";
import { createHistorySampler } from "./sample-history.ts";
import type { LimitState, Viewer } from "./shown-limits.ts";

interface HistoryParts {
  store: Store;
  clock: LimitClock;
  reported: ReportedLimits;
  /** Whether this process samples what its calls use. */
  isKept: boolean;
  /** The limits in the rows of these subjects, as they are now. */
  measure(subjects: readonly string[]): Promise<RowMeasure[]>;
  failed(error: unknown): void;
}

/** What was used of each limit in the last hours. */
export function createHistory({ store, clock, reported, isKept, measure, failed }: HistoryParts) {
  const sampler = createHistorySampler(clock, takeSamples, failed);

  async function takeSamples(subjects: readonly string[]): Promise<void> {
    const measured = await measure(subjects);
    const samples = measured.map(({ subject, name, now, used, max, resets_at: resetsAt }) => {
      const count = Math.round(used);
      return { subject, name, at: isoOf(stepOf(now)), peak: count, used: count, max, resetsAt };
    });
    const newest = measured[0]?.now;
    if (newest === undefined) return;
    await store.transaction(async (db) => {
      await saveSamples(db, samples);
      await deleteSamplesBefore(db, isoOf(stepOf(newest) - keptHours * 3_600_000));
    });
  }

  /** Only a project that has used a subject sees what was used of it. */
  async function samplesOf({ projectId, organizationId }: Viewer): Promise<Sample[]> {
    const reports = reported.ofProject(projectId).map(({ known }) => known);
    const met = new Set([...(await listUses(store, projectId)), ...reports].map(({ subject }) => subject));
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
