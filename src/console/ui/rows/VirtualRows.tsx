import { Skeleton, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type KeyboardEvent, memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Column } from "./RowList.tsx";
import { useShownRows } from "./shown-rows.ts";

interface RowsProps<R> {
  label: string;
  /** `width` is a track of a grid: "8rem", "minmax(0, 1fr)". */
  columns: Column<R>[];
  rows: R[];
  keyOf: (row: R) => string;
  onOpen: (row: R) => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

const rowPixels = 48;
const headerPixels = 52;
/** The next page loads this many rows before the end comes into view. */
const rowsAhead = 40;

type VirtualRowsProps<R> = Omit<RowsProps<R>, "rows"> & { rows: R[] | undefined; empty: ReactNode };

/** A table of any length. It shows grey rows while it loads. */
export function VirtualRows<R>({ rows, empty, ...props }: VirtualRowsProps<R>) {
  if (rows === undefined) return <RowSkeletons label={props.label} count={8} />;
  return rows.length === 0 ? empty : <Rows rows={rows} {...props} />;
}

/**
 * Only the rows on screen exist; arrow keys, Home and End move among all that are loaded. Written by hand, because all rows have one
 * height: a division finds those on screen, and the table, its keys and its focus are what libraries leave to us anyway.
 */
function Rows<R>(props: RowsProps<R>) {
  const { label, columns, rows, keyOf, onOpen, hasMore, isLoadingMore, onMore } = props;
  const isNarrow = useMediaQuery("(max-width: 48em)") ?? false;
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const isMoving = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands above the list changes with its rows.
  useLayoutEffect(() => {
    const at = body.current?.getBoundingClientRect().top;
    if (at !== undefined) setTop(Math.round(at + window.scrollY));
  }, [rows, isNarrow]);
  const { first, end } = useShownRows(rows.length, rowPixels, { top });
  // The row with the focus stays, wherever the page is scrolled to: the focus is never lost.
  const indexes = Array.from({ length: end - first }, (_, index) => first + index);
  if (active < rows.length && (active < first || active >= end)) indexes.push(active);
  useEffect(() => {
    if (hasMore && !isLoadingMore && end >= rows.length - rowsAhead) onMore();
  }, [hasMore, isLoadingMore, end, rows.length, onMore]);
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    body.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true });
  }, [active]);
  const move = (event: KeyboardEvent, index: number) => {
    const next = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      j: index + 1,
      k: index - 1,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") return onOpen(rows[index] as R);
    if (next === undefined || next < 0 || next >= rows.length) return;
    event.preventDefault();
    isMoving.current = true;
    showRow(top + next * rowPixels);
    setActive(next);
  };
  // Rows that stay on screen are not drawn again, so what they are given stays the same while the page scrolls.
  const latest = useRef({ move, onOpen });
  latest.current = { move, onOpen };
  const handlers = useMemo(
    (): RowHandlers<R> => ({
      onKeyDown: (event, index) => latest.current.move(event, index),
      onFocus: setActive,
      onOpen: (row) => latest.current.onOpen(row),
    }),
    [],
  );
  const shown = useMemo(() => columns.filter(({ isExtra }) => !(isNarrow && isExtra)), [columns, isNarrow]);
  const tracks = useMemo(() => shown.map(({ width }) => width ?? "minmax(0, 1fr)").join(" "), [shown]);
  return (
    <div className="vrows">
      <table aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1} className="vtable">
        <thead>
          <tr aria-rowindex={1} className="vrow vrow-head" style={{ gridTemplateColumns: tracks }}>
            {shown.map(({ title, align }) => (
              <th key={title} scope="col" style={{ textAlign: align ?? "left" }}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} className="vrows-body" style={{ height: rows.length * rowPixels }}>
          {indexes.map((index) => (
            <Row
              key={keyOf(rows[index] as R)}
              row={rows[index] as R}
              index={index}
              isActive={index === active}
              columns={shown}
              tracks={tracks}
              handlers={handlers}
            />
          ))}
        </tbody>
      </table>
      {isLoadingMore ? <RowSkeletons label={label} count={2} /> : null}
    </div>
  );
}

/** Scrolls the page as far as needed for the row that begins at `top` to be seen, below the header and the titles. */
function showRow(top: number): void {
  const highest = top - headerPixels - rowPixels;
  const lowest = top + 2 * rowPixels - window.innerHeight;
  if (window.scrollY > highest) window.scrollTo({ top: highest });
  else if (window.scrollY < lowest) window.scrollTo({ top: lowest });
}

interface RowHandlers<R> {
  onKeyDown: (event: KeyboardEvent, index: number) => void;
  onFocus: (index: number) => void;
  onOpen: (row: R) => void;
}

interface RowProps<R> {
  row: R;
  index: number;
  isActive: boolean;
  columns: Column<R>[];
  tracks: string;
  handlers: RowHandlers<R>;
}

const Row = memo(function Row<R>({ row, index, isActive, columns, tracks, handlers }: RowProps<R>) {
  return (
    <tr
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      className="vrow opens"
      style={{ gridTemplateColumns: tracks, height: rowPixels, transform: `translateY(${index * rowPixels}px)` }}
      onKeyDown={(event) => handlers.onKeyDown(event, index)}
      onFocus={() => handlers.onFocus(index)}
      onClick={(event) => {
        if (!(event.target as Element).closest("a, button")) handlers.onOpen(row);
      }}
    >
      {columns.map(({ title, cell, align }) => (
        <td key={title} className="vcell" style={align ? { textAlign: align } : undefined}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <R>(props: RowProps<R>) => ReactNode;

/** Grey rows while a list loads. */
const RowSkeletons = ({ label, count }: { label: string; count: number }) => (
  <Stack gap="xs" py="xs" aria-busy="true" role="status" aria-label={`Loading ${label}`}>
    {Array.from({ length: count }, (_, index) => index).map((index) => (
      <Skeleton key={index} height={rowPixels - 12} />
    ))}
  </Stack>
);
