import { Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { SignalboxProblem } from "../../../client/problem.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";

interface CardRowsProps<R> {
  rows: R[] | undefined;
  problem?: SignalboxProblem | null;
  onRetry?: () => void;
  /** One sentence for "nothing to show". */
  none: ReactNode;
  /** How many rows an external system will probably send: their place is kept. */
  rowsToCome?: number;
  row: (row: R) => ReactNode;
}

/** A short list of facts in a card of the home page. */
export function CardRows<R>({ rows, problem, onRetry, none, row, rowsToCome }: CardRowsProps<R>) {
  if (problem && rows === undefined) return <ProblemNotice problem={problem} onRetry={onRetry ?? (() => {})} />;
  if (rows === undefined) {
    const height = rowsToCome === undefined ? 72 : `calc(${rowsToCome} * var(--fact-row))`;
    return <Skeleton height={height} className="facts-to-come" />;
  }
  if (rows.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        {none}
      </Text>
    );
  }
  return (
    <Stack component="ul" gap={0} className="short-list">
      {rows.map(row)}
    </Stack>
  );
}
