import { Button, Table, Text } from "@mantine/core";
import { useState } from "react";
import { dimensionText, figureOf } from "./figures.ts";
import type { Column, Row } from "./read-result.ts";

const shownAtFirst = 50;
const shownMax = 1000;
const columnPixels = 104;

/** The rows with their totals above. */
export function ResultTable({ columns, rows }: { columns: Column[]; rows: Row[] }) {
  const [isMore, setMore] = useState(false);
  const shown = rows.slice(0, isMore ? shownMax : shownAtFirst);
  const hasPlace = columns.some(({ isMetric }) => !isMetric);
  const alignOf = ({ isMetric }: Column) => (isMetric ? "right" : "left");
  return (
    <>
      {/* Many columns scroll sideways, with keys too. */}
      <Table.ScrollContainer
        minWidth={columns.length * columnPixels}
        type="native"
        tabIndex={0}
        role="region"
        aria-label="Rows of the report"
      >
        <Table aria-label="Report" verticalSpacing={6} className="report-table">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.key} scope="col" ta={alignOf(column)}>
                  {column.title}
                </Table.Th>
              ))}
            </Table.Tr>
            {hasPlace ? (
              <Table.Tr className="total-row">
                {columns.map((column, index) => (
                  <Table.Td key={column.key} ta={alignOf(column)}>
                    {column.isMetric
                      ? figureOf(column.field, column.total, column.currency)
                      : index === 0
                        ? "Total"
                        : ""}
                  </Table.Td>
                ))}
              </Table.Tr>
            ) : null}
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a report never move.
              <Table.Tr key={at}>
                {columns.map((column) => (
                  <Table.Td key={column.key} ta={alignOf(column)} className="anywhere" dir="auto">
                    {column.isMetric
                      ? figureOf(column.field, row[column.key], column.currency)
                      : dimensionText(column.field, row[column.key])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > shown.length ? (
        <Text size="sm" c="dimmed">
          {shown.length.toLocaleString()} of {rows.length.toLocaleString()} rows.{" "}
          {isMore ? (
            "Download the CSV for all."
          ) : (
            <Button variant="subtle" size="compact-sm" onClick={() => setMore(true)}>
              Show more
            </Button>
          )}
        </Text>
      ) : null}
    </>
  );
}
