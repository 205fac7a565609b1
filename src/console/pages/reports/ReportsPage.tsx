import { Button, Skeleton, Stack } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { systemWithPage } from "../../state/systems.ts";
import { useAccounts } from "../../state/use-accounts.ts";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/use-who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import { Report } from "./Report.tsx";

const system = systemWithPage("reports");

export function ReportsPage() {
  const projectId = useProject();
  const { role, may } = useRole(projectId);
  const { accounts, problem, refetch } = useAccounts(system);
  const [runs] = useSearchState("runs");
  const isReader = role !== null && !may("editor");
  return (
    <Page title="Reports" lead="Figures of your websites and apps: choose them, see what they cost, run.">
      <ProblemNotice problem={problem} onRetry={refetch} />
      {accounts === undefined ? (
        problem ? null : (
          <Stack gap="lg" role="status" aria-label="Loading the report">
            <Skeleton height={320} />
          </Stack>
        )
      ) : isReader && runs === "" ? (
        <Empty title="Running a report is for editors">
          A report uses a connected account, which needs the role editor. A link to a report that somebody ran shows it
          to you too.
        </Empty>
      ) : accounts.length === 0 && runs === "" ? (
        <Empty
          title="No account of web analytics"
          action={
            <Button component={AppLink} to={paths.connect(projectId, system)}>
              Connect an account
            </Button>
          }
        >
          Connect one, a sandbox or your own, and report on its properties here.
        </Empty>
      ) : (
        <Report accounts={accounts} canRun={may("editor")} />
      )}
    </Page>
  );
}
