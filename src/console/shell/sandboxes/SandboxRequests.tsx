import { Text } from "@mantine/core";
import { useRead } from "../../state/use-read.ts";
import type { Sandbox } from "../../state/use-sandboxes.ts";
import { RowList } from "../../ui/rows/RowList.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { ProblemNotice } from "../ProblemNotice.tsx";

const everyMilliseconds = 3000;

/** What the sandbox was asked, newest first. */
export function SandboxRequests({ system }: { system: Sandbox["system"] }) {
  const { data, error, refetch } = useRead(
    "/latest/sandboxes/{system}/requests",
    { system, limit: 50 },
    { outsideProject: true, every: everyMilliseconds },
  );
  // Calls of one millisecond look alike, so a row is known by its index.
  const rows = data?.results.map((request, index) => ({ ...request, index }));
  return (
    <Section title="Requests" lead="Every call that it received, newest first.">
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      <RowList
        label="Requests"
        rows={error ? (rows ?? []) : rows}
        keyOf={({ index }) => String(index)}
        empty={
          <Text size="sm" c="dimmed">
            Nobody has called yet.
          </Text>
        }
        columns={[
          {
            title: "Call",
            cell: ({ method, path }) => (
              <Text size="xs" className="mono anywhere">
                {method} {path}
              </Text>
            ),
          },
          {
            title: "Response",
            width: "6rem",
            cell: ({ status }) => (
              <Text size="sm" c={status === 0 || status >= 400 ? "var(--bad)" : "var(--good)"}>
                {status === 0 ? "none" : status}
              </Text>
            ),
          },
          { title: "Who", isExtra: true, cell: ({ identity }) => <Text size="xs">{identity ?? "–"}</Text> },
          { title: "When", width: "8rem", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </Section>
  );
}
