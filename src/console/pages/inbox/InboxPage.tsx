import { Button, Kbd, Skeleton, Stack, Text } from "@mantine/core";
import { useHotkeys, useMediaQuery } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { type InboxItem, useInbox } from "../../state/use-inbox.ts";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import { useNames } from "../runs/use-names.ts";
import { InboxList } from "./InboxList.tsx";
import { ItemView } from "./ItemView.tsx";
import { Reconnect } from "./Reconnect.tsx";
import { rowId } from "./row-id.ts";

/** Everything that waits for a person, one after the other. The open item is in the address. */
export function InboxPage() {
  const names = useNames();
  const inbox = useInbox();
  const { items, settle } = useSettled(inbox.items);
  const [key, setKey] = useSearchState("item");
  const [connecting, setConnecting] = useSearchState("connect");
  const isNarrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false }) ?? false;
  const lastIndex = useRef(0);
  const found = items.findIndex((item) => item.key === key);
  // When the item is gone, the next one opens, no matter who settled it.
  const index = found >= 0 ? found : Math.min(lastIndex.current, items.length - 1);
  const item: InboxItem | undefined = items[index];
  useEffect(() => {
    lastIndex.current = Math.max(0, index);
  }, [index]);
  const page = useRef<HTMLDivElement>(null);
  const focusRow = useRefocus(page, item?.key);
  const go = (to: number) => {
    const next = items[to];
    if (!next) return;
    if (!isNarrow || key !== "") setKey(next.key);
    focusRow(next.key);
  };
  useHotkeys([
    ["j", () => go(index + 1)],
    ["k", () => go(index - 1)],
  ]);
  const onDone = (settled: InboxItem) => {
    const next = items[index + 1] ?? items[index - 1];
    settle(settled.key);
    setKey(next?.key ?? "");
    if (next) focusRow(next.key);
  };
  const isListShown = !isNarrow || key === "" || item === undefined;
  return (
    <Page title="Inbox" lead="What waits for a person in this project. Nothing here continues by itself.">
      <ProblemNotice problem={inbox.problem} onRetry={inbox.refetch} />
      {items.length === 0 ? (
        inbox.isLoaded ? (
          <NothingWaits />
        ) : inbox.problem ? null : (
          <LoadingInbox />
        )
      ) : (
        <div className={isNarrow ? "" : "inbox"} ref={page}>
          {isListShown ? (
            <Stack gap="xs">
              <InboxList
                items={items}
                open={isNarrow ? -1 : index}
                names={names}
                onOpen={(next) => setKey(next.key)}
                onMove={go}
              />
              <Text size="xs" c="dimmed" className="extra">
                <Kbd size="xs">j</Kbd> <Kbd size="xs">k</Kbd> go through the list, <Kbd size="xs">Enter</Kbd> opens.
              </Text>
            </Stack>
          ) : (
            <Button variant="subtle" size="compact-sm" mb="sm" className="flush" onClick={() => setKey("")}>
              ← All {items.length}
            </Button>
          )}
          {item && (!isNarrow || !isListShown) ? (
            <ItemView key={item.key} item={item} names={names} onDone={() => onDone(item)} />
          ) : null}
        </div>
      )}
      {connecting.startsWith("con_") ? (
        <Reconnect
          connectionId={connecting}
          onClose={() => {
            setConnecting("");
            if (item) focusRow(item.key);
          }}
        />
      ) : null}
    </Page>
  );
}

/** Hides what was settled here until the server has been read again. If it still waits then, it is shown. */
function useSettled(items: InboxItem[]) {
  const [settledAt, setSettledAt] = useState<Record<string, number>>({});
  return {
    items: items.filter(({ key, readAt }) => readAt > (settledAt[key] ?? 0)),
    settle: (key: string) => setSettledAt((before) => ({ ...before, [key]: Date.now() })),
  };
}

/** Moves the focus to an item's row. The focus that was within the page stays there when what held it disappears. */
function useRefocus(page: { current: HTMLDivElement | null }, openKey: string | undefined): (key: string) => void {
  const wanted = useRef<string | null>(null);
  const wasInside = useRef(false);
  useEffect(() => {
    const note = ({ target }: Event) => {
      // A dialog stands outside of the page's own element, and disappears with the item that it asks about.
      const isInDialog = (target as Element).closest("[role=dialog]") !== null;
      wasInside.current = isInDialog || (page.current?.contains(target as Node) ?? false);
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [page]);
  useEffect(() => {
    const isLost = document.activeElement === document.body && wasInside.current;
    const key = wanted.current ?? (isLost ? openKey : null);
    const row = key ? document.getElementById(rowId(key)) : null;
    wanted.current = null;
    row?.focus();
  });
  return (key) => {
    wanted.current = key;
    document.getElementById(rowId(key))?.focus();
  };
}

const LoadingInbox = () => (
  <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading the inbox">
    <Skeleton height={64} />
    <Skeleton height={64} />
    <Skeleton height={64} />
  </Stack>
);

function NothingWaits() {
  const projectId = useProject();
  return (
    <Empty
      title="Nothing waits for you"
      action={
        <Button component={AppLink} to={paths.runs(projectId)} variant="default">
          Go to runs
        </Button>
      }
    >
      Approvals, writes whose response was lost, accounts to reconnect and events that could not be delivered come here.
    </Empty>
  );
}
