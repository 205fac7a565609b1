import { Stack, Table, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { JsonView } from "../../../ui/JsonView.tsx";
import type { Run } from "../tool.ts";
import { type Rows, rowsIn } from "./rows-in-result.ts";

const RowsChart = lazy(() => import("./RowsChart.tsx").then((file) => ({ default: file.RowsChart })));

const shownRows = 100;

/** The result of a run: rows as a chart and a table, anything else as JSON. */
export function ResultView({ run }: { run: Run }) {
  if (run.large_output) {
    return (
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          The result has {(run.large_output.bytes / 1000).toFixed(0)} kB. It begins so; the run's page has the whole.
        </Text>
        <JsonView value={run.large_output.preview} label="Beginning of the result" />
      </Stack>
    );
  }
  const rows = rowsIn(run.output);
  return (
    <Stack gap="md">
      {rows ? <RowsView rows={rows} /> : null}
      {rows ? (
        <details>
          <summary>As JSON</summary>
          <JsonView value={run.output} label="Result" />
        </details>
      ) : (
        <JsonView value={run.output ?? null} label="Result" />
      )}
    </Stack>
  );
}

function RowsView({ rows }: { rows: Rows }) {
  const { names, numbers, items } = rows;
  return (
    <>
      {numbers.length > 0 && items.length > 1 && items.length <= 400 ? (
        <Suspense fallback={<div className="chart" />}>
          <RowsChart rows={rows} />
        </Suspense>
      ) : null}
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label="Result" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {names.map((name) => (
                <Table.Th key={name} scope="col" ta={numbers.includes(name) ? "right" : "left"}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.slice(0, shownRows).map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a result never move.
              <Table.Tr key={index}>
                {names.map((name) => (
                  <Table.Td key={name} ta={numbers.includes(name) ? "right" : "left"} className="anywhere">
                    {cellText(item[name])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {items.length > shownRows ? (
        <Text size="sm" c="dimmed">
          The first {shownRows} of {items.length} rows.
        </Text>
      ) : null}
    </>
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return value.toLocaleString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
