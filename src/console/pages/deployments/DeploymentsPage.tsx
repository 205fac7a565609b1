import { Button, Group, Select, Skeleton, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { systemWithPage } from "../../state/systems.ts";
import { type Account, accountName, useAccounts } from "../../state/use-accounts.ts";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/use-who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import { Deployments } from "./Deployments.tsx";

const system = systemWithPage("deployments");

export function DeploymentsPage() {
  const projectId = useProject();
  const { role, may } = useRole(projectId);
  const { accounts, problem, refetch } = useAccounts(system);
  const [chosen, choose] = useSearchState("account");
  const [isNew, setNew] = useSearchState("new");
  const account =
    accounts?.find(({ connection_id }) => connection_id === chosen) ??
    accounts?.find(({ state }) => state === "connected") ??
    accounts?.[0];
  const isReader = role !== null && !may("editor");
  const canCreate = account !== undefined && may("editor");
  return (
    <Page
      title="Deployments"
      lead="What was built and went live at the deployment platform, newest first."
      actions={
        <Group gap="xs">
          {accounts && accounts.length > 1 && account ? (
            <AccountSelect accounts={accounts} value={account.connection_id} onChange={choose} />
          ) : null}
          {canCreate ? <Button onClick={() => setNew("1")}>Create a deployment</Button> : null}
        </Group>
      }
    >
      <ProblemNotice problem={problem} onRetry={refetch} />
      {isReader ? (
        <Empty title="Deployments are for editors">
          They are read at the platform with a connected account, which needs the role editor. Ask an admin of the
          project.
        </Empty>
      ) : accounts === undefined ? (
        problem ? null : (
          <Skeleton height={400} role="status" aria-label="Loading Deployments" />
        )
      ) : account === undefined ? (
        <Empty
          title="No account of a deployment platform"
          action={
            <Button component={AppLink} to={paths.connect(projectId, system)}>
              Connect an account
            </Button>
          }
        >
          Connect one, a sandbox or your own, and its deployments appear here.
        </Empty>
      ) : may("editor") ? (
        <Deployments
          key={account.connection_id}
          connectionId={account.connection_id}
          isNew={isNew === "1"}
          onNew={(isOpen) => setNew(isOpen ? "1" : "")}
        />
      ) : null}
      {account && accounts?.length === 1 ? (
        <Text size="xs" c="dimmed">
          Account: <span dir="auto">{accountName(account)}</span>
        </Text>
      ) : null}
    </Page>
  );
}

function AccountSelect(props: { accounts: Account[]; value: string; onChange: (id: string) => void }) {
  return (
    <Select
      aria-label="Account"
      data={props.accounts.map((each) => ({ value: each.connection_id, label: accountName(each) }))}
      value={props.value}
      onChange={(next) => next && props.onChange(next)}
      allowDeselect={false}
      w="16rem"
    />
  );
}
