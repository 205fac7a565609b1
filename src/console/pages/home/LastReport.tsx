import { Anchor, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { queryOfRun } from "../reports/settings.ts";
import { rowsIn } from "../tools/use/rows-in-result.ts";

const RowsChart = lazy(async () => ({ default: (await import("../tools/use/RowsChart.tsx")).RowsChart }));
const chartHeight = 256;

/** The newest report that a step has run, drawn. Showing it asks the system for nothing. */
export function LastReport() {
  const projectId = useProject();
  const runs = useRead("/latest/runs/list", { step_id: "run_reports", status: "succeeded", limit: 1 });
  const newest = runs.data?.results[0];
  const run = useRead(
    "/latest/runs/{run_id}/get",
    { run_id: newest?.run_id ?? "" },
    { when: newest !== undefined, staleTime: 300_000 },
  );
  if (runs.data !== undefined && newest === undefined) return null;
  const rows = run.data ? rowsIn(run.data.output) : undefined;
  const query = run.data ? queryOfRun(run.data) : null;
  return (
    <Section
      title="Last report"
      lead={newest ? <Time at={newest.created_at} /> : null}
      actions={
        <Anchor
          component={AppLink}
          to={query === null ? paths.reports(projectId) : `${paths.reports(projectId)}?${query}`}
          size="sm"
        >
          {query === null ? "Reports" : "Open in Reports"}
        </Anchor>
      }
    >
      {rows === undefined ? <Skeleton height={chartHeight} /> : null}
      {rows === null || rows?.numbers.length === 0 ? (
        <Text c="dimmed" size="sm">
          The report has no numbers to draw.
        </Text>
      ) : null}
      {rows && rows.numbers.length > 0 ? (
        <Suspense fallback={<Skeleton height={chartHeight} />}>
          <RowsChart rows={rows} />
        </Suspense>
      ) : null}
    </Section>
  );
}
