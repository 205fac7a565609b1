import { Button } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { Section } from "../../ui/Section.tsx";
import { type History, keyOf, type Limit } from "./describe-limit.ts";
import { LimitCard } from "./LimitCard.tsx";

interface LimitsOfAccountProps {
  connectionId: string;
  label: string;
  system: string;
  limits: Limit[];
  histories: Map<string, History>;
}

/** The limits of one connected account. */
export function LimitsOfAccount({ connectionId, label, system, limits, histories }: LimitsOfAccountProps) {
  const projectId = useProject();
  return (
    <Section
      title={label}
      lead={system}
      actions={
        <Button
          component={AppLink}
          to={`${paths.integrations(projectId)}?account=${connectionId}`}
          variant="subtle"
          size="compact-sm"
          className="flush"
          aria-label={`Open the account ${label}`}
        >
          Open the account
        </Button>
      }
    >
      <div className="columns-3">
        {limits.map((limit) => (
          <LimitCard key={keyOf(limit)} limit={limit} history={histories.get(keyOf(limit))} />
        ))}
      </div>
    </Section>
  );
}
