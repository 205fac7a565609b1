import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import type { SignalboxProblem } from "../../../client/problem.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { Copy } from "../../ui/files/Copy.tsx";
import { Section } from "../../ui/Section.tsx";
import { linesOf } from "./log-lines.ts";

const shownMax = 1000;

interface BuildLogProps {
  body: unknown;
  isLive: boolean;
  /** The events are read. */
  isRead: boolean;
  problem: SignalboxProblem | null;
  onRetry: () => void;
}

/** What the build printed. While it is under way, the end stays in view. */
export function BuildLog({ body, isLive, isRead, problem, onRetry }: BuildLogProps) {
  const lines = useMemo(() => linesOf(body), [body]);
  const [isWhole, setWhole] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const count = lines.length;
  useEffect(() => {
    if (count > 0 && follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count]);
  const shown = isWhole ? lines : lines.slice(-shownMax);
  const first = lines[0]?.at ?? null;
  return (
    <Section
      title="Build log"
      lead={isLive ? "The build is under way: new lines appear by themselves." : null}
      actions={count > 0 ? <Copy text={lines.map(({ text }) => text).join("\n")} label="Copy the log" /> : null}
    >
      <ProblemNotice problem={problem} onRetry={onRetry} />
      {isRead ? null : problem ? null : <Skeleton height={160} aria-label="Loading the log" />}
      {isRead && count === 0 ? (
        <Text size="sm" c="dimmed">
          {isLive ? "Nothing is printed yet." : "This build printed nothing."}
        </Text>
      ) : null}
      {count > shown.length ? (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            The last {shown.length.toLocaleString()} of {count.toLocaleString()} lines.
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
            Show all
          </Button>
        </Group>
      ) : null}
      {count > 0 ? (
        <div
          ref={box}
          className="log"
          role="log"
          aria-label="Build log"
          aria-live={isLive ? "polite" : "off"}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys.
          tabIndex={0}
          onScroll={({ currentTarget: at }) => {
            follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40;
          }}
        >
          {shown.map(({ key, at, text, kind }) => (
            <div key={key} className={`log-line log-${kind}`}>
              <span className="log-time">{at === null || first === null ? "" : offset(at - first)}</span>
              <span className="log-text">{text}</span>
            </div>
          ))}
        </div>
      ) : null}
    </Section>
  );
}

/** Minutes and seconds since the first line. */
function offset(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
