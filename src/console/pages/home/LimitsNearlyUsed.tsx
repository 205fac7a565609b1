import { Anchor, Progress, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { titleOf } from "../limits/describe-limit.ts";
import { CardRows } from "./CardRows.tsx";

const closeShare = 0.8;
const shown = 5;
const everyMilliseconds = 10_000;

export const useLimits = () => useRead("/latest/limits/list", { limit: 100 }, { every: everyMilliseconds });

/** External limits of which four fifths are used, or for which calls wait. */
export function LimitsNearlyUsed() {
  const projectId = useProject();
  const limits = useLimits();
  const { data: accounts } = useRead("/latest/connections/list", { limit: 100 });
  const labelOf = (id: string) => accounts?.results.find(({ connection_id }) => connection_id === id)?.label;
  const close = limits.data?.results
    .filter(({ used, max, waiting }) => waiting.length > 0 || (max !== null && max > 0 && used / max >= closeShare))
    .slice(0, shown);
  return (
    <Section
      title="Limits that are close"
      actions={
        <Anchor component={AppLink} to={paths.limits(projectId)} size="sm">
          All limits
        </Anchor>
      }
    >
      <CardRows
        rows={close}
        problem={limits.error}
        onRetry={() => void limits.refetch()}
        none="No limit is nearly used up."
        row={(limit) => (
          <li key={`${limit.connection_id} ${limit.subject} ${limit.name}`}>
            <Text className="anywhere" dir="auto">
              {[labelOf(limit.connection_id), titleOf(limit)].filter(Boolean).join(" · ")}
            </Text>
            <Text size="sm" c="dimmed" className="fact-end">
              {limit.max === null ? `${limit.used} used` : `${limit.used} of ${limit.max} used`}
              {limit.resets_at ? (
                <>
                  , resets <Time at={limit.resets_at} />
                </>
              ) : null}
            </Text>
            {limit.max === null ? null : (
              <Progress
                value={(100 * limit.used) / limit.max}
                w="100%"
                size="sm"
                color={limit.used >= limit.max ? "red" : "yellow"}
                aria-label={`${titleOf(limit)}: ${limit.used} of ${limit.max} used`}
              />
            )}
          </li>
        )}
      />
    </Section>
  );
}
