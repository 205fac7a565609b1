import { Button } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { Section } from "../../ui/Section.tsx";
import { LimitCard } from "./LimitCard.tsx";
import { type History, keyOf, type Limit } from "./limit.ts";

interface AccountLimitsProps {
  connectionId: string;
  label: string;
  system: string;
  limits: Limit[];
  histories: Map<string, History>;
}

/** The limits of one connected account. */
export function AccountLimits({ connectionId, label, system, limits, histories }: AccountLimitsProps) {
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
