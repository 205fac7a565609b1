import { Skeleton, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Column } from "./RowList.tsx";

interface VirtualRowsProps<R> {
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

/** A table of any length. Only the rows on screen exist; arrow keys, Home and End move among all that are loaded. */
export function VirtualRows<R>(props: VirtualRowsProps<R>) {
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
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPixels,
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: headerPixels + rowPixels,
    scrollPaddingEnd: rowPixels,
    getItemKey: (index) => keyOf(rows[index] as R),
    // The row with the focus stays, wherever the page is scrolled to: the focus is never lost.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), active])].filter((index) => index < range.count),
      [active],
    ),
  });
  const items = virtualizer.getVirtualItems();
  const last = items.reduce((most, { index }) => (index === active ? most : Math.max(most, index)), 0);
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - rowsAhead) onMore();
  }, [hasMore, isLoadingMore, last, rows.length, onMore]);
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
    virtualizer.scrollToIndex(next);
    setActive(next);
  };
  const shown = columns.filter(({ isExtra }) => !(isNarrow && isExtra));
  const tracks = { gridTemplateColumns: shown.map(({ width }) => width ?? "minmax(0, 1fr)").join(" ") };
  return (
    <div className="vrows">
      <table aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1} className="vtable">
        <thead>
          <tr aria-rowindex={1} className="vrow vrow-head" style={tracks}>
            {shown.map(({ title, align }) => (
              <th key={title} scope="col" style={{ textAlign: align ?? "left" }}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} className="vrows-body" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const row = rows[index] as R;
            return (
              <tr
                key={key}
                aria-rowindex={index + 2}
                data-index={index}
                tabIndex={index === active ? 0 : -1}
                className="vrow opens"
                style={{ ...tracks, height: rowPixels, transform: `translateY(${start - top}px)` }}
                onKeyDown={(event) => move(event, index)}
                onFocus={() => setActive(index)}
                onClick={(event) => {
                  if (!(event.target as Element).closest("a, button")) onOpen(row);
                }}
              >
                {shown.map(({ title, cell, align }) => (
                  <td key={title} className="vcell" style={{ textAlign: align }}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {isLoadingMore ? <RowSkeletons label={label} count={2} /> : null}
    </div>
  );
}

/** Grey rows while a list loads. */
export const RowSkeletons = ({ label, count }: { label: string; count: number }) => (
  <Stack gap="xs" py="xs" aria-busy="true" role="status" aria-label={`Loading ${label}`}>
    {Array.from({ length: count }, (_, index) => index).map((index) => (
      <Skeleton key={index} height={rowPixels - 12} />
    ))}
  </Stack>
);
