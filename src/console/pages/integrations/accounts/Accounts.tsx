import { Button, Skeleton, Stack } from "@mantine/core";
import { Suspense } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useList, useRead } from "../../../state/use-read.ts";
import { useOpenState, useSearchState } from "../../../state/use-search-state.ts";
import { useRole } from "../../../state/use-who.ts";
import { lazyWhenIdle } from "../../../ui/lazy-when-idle.ts";
import { SystemAccounts } from "./SystemAccounts.tsx";

const ConnectDialog = lazyWhenIdle(async () => (await import("../connect/ConnectDialog.tsx")).ConnectDialog);
const AccountDrawer = lazyWhenIdle(async () => (await import("./AccountDrawer.tsx")).AccountDrawer);

/** The three systems with their connected accounts. `?connect=` opens the dialog, with a system's id or an account's id; `?account=` an account. */
export function Accounts() {
  const { may } = useRole(useProject());
  const [connect, setConnect] = useSearchState("connect");
  const [account, setAccount] = useOpenState("account");
  const systems = useRead("/latest/systems/list", {}, { staleTime: 60_000 });
  const list = useList("/latest/connections/list", { limit: 100 }, { every: 15_000 });
  const whyNot = may("editor") ? null : "Connecting an account needs the role editor. Ask an admin of the project.";
  return (
    <Stack gap="lg">
      <ProblemNotice
        problem={systems.error ?? list.problem}
        onRetry={() => void Promise.all([systems.refetch(), list.refetch()])}
      />
      {systems.data === undefined && systems.error === null ? <Skeleton height={320} aria-label="Loading" /> : null}
      {systems.data?.results.map((system) => (
        <SystemAccounts
          key={system.system}
          system={system}
          accounts={list.rows?.filter((account) => account.system === system.system)}
          whyNot={whyNot}
          onConnect={setConnect}
        />
      ))}
      {list.hasMore ? (
        <Button variant="default" className="more" onClick={list.loadMore} loading={list.isLoadingMore}>
          Show more accounts
        </Button>
      ) : null}
      <Suspense>
        {account !== "" && connect === "" ? (
          <AccountDrawer connectionId={account} onReconnect={setConnect} onClose={() => setAccount("")} />
        ) : null}
        {systems.data && connect !== "" && whyNot === null ? (
          <ConnectDialog
            systems={systems.data.results}
            chosen={connect}
            onChoose={setConnect}
            onClose={() => setConnect("")}
          />
        ) : null}
      </Suspense>
    </Stack>
  );
}
