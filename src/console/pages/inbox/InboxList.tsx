import { Text, UnstyledButton } from "@mantine/core";
import type { KeyboardEvent } from "react";
import type { InboxItem } from "../../state/use-inbox.ts";
import { Time } from "../../ui/times/Time.tsx";
import type { Names } from "../runs/use-names.ts";
import { kindWords, reasonOf, titleOf } from "./item-words.ts";
import { rowId } from "./row-id.ts";

interface InboxListProps {
  items: InboxItem[];
  /** The index of the open one; -1 where none is shown beside the list. */
  open: number;
  names: Names;
  onOpen: (item: InboxItem) => void;
  onMove: (to: number) => void;
}

/** The items as rows. Arrow keys move, Enter goes into the open one. */
export function InboxList({ items, open, names, onOpen, onMove }: InboxListProps) {
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onMove(to);
  };
  return (
    <ul className="inbox-list" aria-label="Waiting">
      {items.map((item, index) => (
        <li key={item.key}>
          <UnstyledButton
            id={rowId(item.key)}
            className="inbox-row"
            tabIndex={index === Math.max(0, open) ? 0 : -1}
            aria-current={index === open ? "true" : undefined}
            onKeyDown={(event) => onKeyDown(event, index)}
            onClick={() => {
              onOpen(item);
              // After the next paint: on a narrow screen the item takes the place of the list.
              requestAnimationFrame(() => document.getElementById("inbox-item")?.focus());
            }}
          >
            <span className="inbox-row-head">
              <span className={`status status-${item.kind === "approval" ? "busy" : "warn"} inbox-kind`}>
                <span className="status-dot" aria-hidden="true" />
                {kindWords[item.kind]}
              </span>
              {item.at === null ? null : (
                <Text span size="xs" c="dimmed">
                  <Time at={item.at} />
                </Text>
              )}
            </span>
            <Text span size="sm" fw={600} dir="auto" className="vcell-title">
              {titleOf(item, names)}
            </Text>
            <Text span size="xs" c="dimmed" dir="auto" className="vcell-title">
              {reasonOf(item)}
            </Text>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
