import { Button, Skeleton, Stack } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useRef } from "react";

export interface Column<R> {
  title: string;
  /** What the cell shows. */
  cell: (row: R) => ReactNode;
  /** Hidden on narrow screens. */
  isExtra?: boolean;
  width?: string;
  align?: "left" | "right";
}

export interface RowListProps<R> {
  label: string;
  columns: Column<R>[];
  rows: R[] | undefined;
  keyOf: (row: R) => string;
  /** Opens a row: by a click, or by Enter. */
  onOpen?: (row: R) => void;
  empty: ReactNode;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  onMore?: () => void;
}

/** About as many as a screen shows. The others are drawn a moment later, and nobody waits for them. */
const firstRows = 15;
const rowPixels = 45;

/** A table whose rows are reached with the arrow keys, also from a button in one. It shows grey rows while it loads. */
export function RowList<R>(props: RowListProps<R>) {
  const { label, columns, rows, keyOf, onOpen, empty, hasMore, isLoadingMore, onMore } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const count = rows?.length ?? 0;
  const drawn = useDeferredValue(count, Math.min(count, firstRows));
  if (rows === undefined) {
    return (
      <Stack gap="xs" aria-busy="true" aria-label={`Loading ${label}`} role="status">
        {["a", "b", "c", "d"].map((name) => (
          <Skeleton key={name} height={36} />
        ))}
      </Stack>
    );
  }
  if (rows.length === 0) return empty;
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, row: R, index: number) => {
    const from = event.target as Element;
    const isRow = from === event.currentTarget;
    if (event.ctrlKey || event.metaKey || event.altKey || !(isRow || from.matches("a, button:not([aria-haspopup])")))
      return;
    const to = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      j: index + 1,
      k: index - 1,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      (body.current?.rows[to] as HTMLElement | undefined)?.focus();
    } else if (event.key === "Enter" && isRow) {
      onOpen?.(row);
    }
  };
  return (
    <Stack gap="sm">
      <div className="rows-scroll" style={drawn < count ? { minHeight: count * rowPixels } : undefined}>
        {/* Plain elements: a table of Mantine's costs several times as much for each cell. */}
        <table aria-label={label} className="rows">
          <thead>
            <tr>
              {columns.map(({ title, isExtra, width, align }) => (
                <th key={title} className={isExtra ? "extra" : ""} style={{ width, textAlign: align }} scope="col">
                  {title || <span className="unseen">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.slice(0, Math.max(drawn, firstRows)).map((row, index) => (
              <tr
                key={keyOf(row)}
                tabIndex={0}
                className={onOpen ? "opens" : ""}
                onKeyDown={(event) => onKeyDown(event, row, index)}
                onClick={(event) => {
                  if (!(event.target as Element).closest("a, button, input, select, label, [role=menuitem]"))
                    onOpen?.(row);
                }}
              >
                {columns.map(({ title, cell, isExtra, align }) => (
                  <td key={title} className={isExtra ? "extra" : ""} style={{ textAlign: align }}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore ? (
        <Button variant="default" onClick={onMore} loading={isLoadingMore ?? false} className="more">
          Show more
        </Button>
      ) : null}
    </Stack>
  );
}
