import { Anchor, Group, Paper, Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { Bars } from "../../ui/Bars.tsx";
import { Gauge } from "../../ui/Gauge.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { Time } from "../../ui/Time.tsx";
import { at, belongsTo, forecastOf, type History, type Limit, number, standingOf, titleOf, windowOf } from "./limit.ts";

interface LimitCardProps {
  limit: Limit;
  history: History | undefined;
}

/** One limit: its gauge, its last hours, who waits, and what will become of it. */
export function LimitCard({ limit, history }: LimitCardProps) {
  const { max, used, reserved, resets_at } = limit;
  const title = titleOf(limit);
  const values = history ? withPresent(history, used) : [];
  return (
    <Paper component="article" withBorder p="md" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
          <div>
            <Text fw={600}>{title}</Text>
            <Text size="xs" c="dimmed" className="anywhere">
              {windowOf(limit)}
              {belongsTo(limit) ? ` · ${belongsTo(limit)}` : ""}
            </Text>
          </div>
          <Standing limit={limit} />
        </Group>
        {max === null ? null : <Gauge label={`${title}: used`} used={used} reserved={reserved} max={max} />}
        <Numbers limit={limit} />
        {history && max !== null && busiestOf(values) > 0 ? (
          <div>
            <Bars
              label={`${title}: use from ${at(history.since)} until now, at most ${number.format(busiestOf(values))}`}
              values={values}
              max={max}
            />
            <Group justify="space-between" gap="xs">
              <Text size="xs" c="dimmed">
                {at(history.since)}
              </Text>
              <Text size="xs" c="dimmed">
                now
              </Text>
            </Group>
          </div>
        ) : null}
        <Text size="sm">
          {forecastOf(limit, history)}
          {resets_at && used > 0 && limit.left !== 0 ? (
            <Text span size="sm" c="dimmed">
              {" "}
              {limit.kind === "window" ? "Next free place" : "Refills"} <Time at={resets_at} />.
            </Text>
          ) : null}
        </Text>
        <Waiting limit={limit} />
      </Stack>
    </Paper>
  );
}

/** The gauge is read more often than the history: both show the same present. */
const withPresent = ({ used }: History, present: number): (number | null)[] => [
  ...used.slice(0, -1),
  Math.max(used.at(-1) ?? 0, present),
];

const busiestOf = (values: (number | null)[]): number => Math.max(0, ...values.map((count) => count ?? 0));

function Standing({ limit }: { limit: Limit }) {
  const standing = standingOf(limit);
  if (standing === "used up") return <StateBadge tone="bad" text="Used up" />;
  if (standing === "waited for") return <StateBadge tone="warn" text="Runs wait" />;
  if (standing === "close") return <StateBadge tone="warn" text="Close" />;
  return null;
}

function Numbers({ limit: { max, used, reserved, left } }: { limit: Limit }) {
  return (
    <Group gap="md">
      <Count count={used - reserved} word="used" />
      {reserved > 0 ? <Count count={reserved} word="reserved" /> : null}
      {left === null ? null : <Count count={left} word="left" />}
      {max === null ? null : (
        <Text size="sm" c="dimmed" ml="auto">
          of {number.format(max)}
        </Text>
      )}
    </Group>
  );
}

const Count = ({ count, word }: { count: number; word: string }) => (
  <Text size="sm">
    <Text span fw={650}>
      {number.format(count)}
    </Text>{" "}
    {word}
  </Text>
);

const shownWaiting = 5;

function Waiting({ limit: { waiting, waiting_others } }: { limit: Limit }) {
  const projectId = useProject();
  if (waiting.length + waiting_others === 0) return null;
  const more = waiting.length - shownWaiting;
  return (
    <div>
      <Text size="sm" fw={600}>
        Waiting for it
      </Text>
      <ul className="short-list">
        {waiting.slice(0, shownWaiting).map(({ run_id, since }) => (
          <li key={`${run_id} ${since}`}>
            <Anchor component={AppLink} to={paths.run(projectId, run_id)} size="sm" className="mono anywhere">
              {run_id}
            </Anchor>
            <Text size="sm" c="dimmed" className="fact-end">
              since <Time at={since} />
            </Text>
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <Text size="sm" c="dimmed">
          and {number.format(more)} more of this project
        </Text>
      ) : null}
      {waiting_others > 0 ? (
        <Text size="sm" c="dimmed">
          {number.format(waiting_others)} {waiting_others === 1 ? "call" : "calls"} of other projects
        </Text>
      ) : null}
    </div>
  );
}
