import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMemo, useRef, useState } from "react";
import { useSearchState } from "../../state/use-search-state.ts";
import { ChartLegend } from "../../ui/charts/ChartLegend.tsx";
import { chartImage } from "../../ui/charts/chart-image.ts";
import { LazyChart } from "../../ui/charts/LazyChart.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { toCsv } from "../../ui/files/csv.ts";
import { download } from "../../ui/files/download.ts";
import { Notice } from "../../ui/Notice.tsx";
import { dimensionInFile, dimensionText, figureOf } from "./figures.ts";
import { ResultTable } from "./ResultTable.tsx";
import { drawingOf, type Result, tableOf } from "./read-result.ts";
import { Totals } from "./Totals.tsx";

interface ResultsProps {
  results: Result[];
  metrics: string[];
  dimensions: string[];
  /** What a report of these metrics is called. */
  titleOf: (metrics: string[]) => string;
  nameOf: (field: string) => string;
}

/** "Line, bar, table with totals", and the files. */
export function Results({ results, metrics, dimensions, titleOf, nameOf }: ResultsProps) {
  const [shownMetric, setMetric] = useSearchState("metric");
  const [show, setShow] = useSearchState("show");
  const [failure, setFailure] = useState<string | null>(null);
  const chart = useRef<HTMLDivElement>(null);
  const metric = metrics.includes(shownMetric) ? shownMetric : (metrics[0] ?? "");
  const drawing = useMemo(() => drawingOf(results, dimensions, metric), [results, dimensions, metric]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: names come with the fields, and change once.
  const table = useMemo(() => tableOf(results, dimensions, metrics, nameOf), [results, dimensions, metrics]);
  if (table.rows.length === 0) {
    return (
      <Empty title="No rows">
        Nothing in this period fits. This is a result, not an error: try a longer period or fewer filters.
      </Empty>
    );
  }
  const isDrawable = drawing !== null && drawing.data.length > 0;
  const usual = drawing?.isOverTime ? "line" : "bar";
  const kind = show === "line" || show === "bar" || show === "table" ? show : usual;
  const isDrawn = isDrawable && kind !== "table";
  const saveCsv = () => {
    const rows = table.rows.map((row) =>
      table.columns.map(({ key, field, isMetric }) => (isMetric ? row[key] : dimensionInFile(field, row[key]))),
    );
    const text = toCsv(
      table.columns.map((column) => column.title),
      rows,
    );
    download(new Blob([text], { type: "text/csv;charset=utf-8" }), `${fileName(titleOf(metrics))}.csv`);
  };
  const savePng = async () => {
    try {
      if (!chart.current || !drawing) return;
      const title = titleOf([metric]);
      download(await chartImage(chart.current, title, drawing.series), `${fileName(title)}.png`);
      setFailure(null);
    } catch {
      setFailure("This browser could not make the picture. The CSV has all figures.");
    }
  };
  return (
    <Stack gap="md">
      <Totals results={results} metrics={metrics} chosen={metric} onChoose={setMetric} nameOf={nameOf} />
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="sm"
          aria-label="Show as"
          data={[
            { value: "line", label: "Line", disabled: !isDrawable },
            { value: "bar", label: "Bar", disabled: !isDrawable },
            { value: "table", label: "Table" },
          ]}
          value={isDrawable ? kind : "table"}
          onChange={(next) => setShow(next === usual ? "" : next)}
        />
        <Group gap="xs">
          <Button variant="default" size="compact-sm" onClick={saveCsv}>
            Download CSV
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={!isDrawn}
            title={isDrawn ? undefined : "Choose line or bar to get a picture."}
            onClick={() => void savePng()}
          >
            Download PNG
          </Button>
        </Group>
      </Group>
      {failure ? <Notice tone="bad">{failure}</Notice> : null}
      {isDrawn ? (
        <>
          <div ref={chart}>
            <LazyChart
              isTall
              label={`Chart of ${nameOf(metric)} by ${nameOf(drawing.axis)}`}
              kind={kind as "line" | "bar"}
              data={drawing.data}
              axis={drawing.axis}
              series={drawing.series}
              format={(value) => figureOf(metric, value, results[0]?.currency)}
              axisFormat={(value) => dimensionText(drawing.axis, value, true)}
            />
          </div>
          <ChartLegend series={drawing.series} kind={kind as "line" | "bar"} />
          {drawing.note ? (
            <Text size="sm" c="dimmed">
              {drawing.note}
            </Text>
          ) : null}
        </>
      ) : null}
      <ResultTable columns={table.columns} rows={table.rows} />
    </Stack>
  );
}

const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 80)
    .replace(/^-|-$/g, "") || "report";
