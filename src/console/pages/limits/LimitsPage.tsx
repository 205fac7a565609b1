import { Button, Group, SegmentedControl, Select, Skeleton } from "@mantine/core";
import { useMemo } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList, useRead } from "../../state/use-read.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { keyOf, type Limit, standingOf, titleOf } from "./describe-limit.ts";
import { LimitsOfAccount } from "./LimitsOfAccount.tsx";
import { WaitingRuns } from "./WaitingRuns.tsx";

const hoursOptions = [
  { value: "1", label: "1 hour" },
  { value: "6", label: "6 hours" },
  { value: "24", label: "24 hours" },
];

export function LimitsPage() {
  const [account, setAccount] = useSearchState("account");
  const [chosenHours, setHours] = useSearchState("hours");
  const hours = hoursOptions.some(({ value }) => value === chosenHours) ? chosenHours : "6";
  const list = useList("/latest/limits/list", { limit: 100 }, { every: 5000 });
  const past = useList("/latest/limits/history", { limit: 100, hours: Number(hours) }, { every: 30_000, keep: true });
  const { accounts, nameOf } = useAccounts();
  const histories = useMemo(() => new Map((past.rows ?? []).map((each) => [keyOf(each), each])), [past.rows]);
  const shown = list.rows?.filter(({ connection_id }) => account === "" || connection_id === account);
  const groups = [...Map.groupBy(shown ?? [], ({ connection_id }) => connection_id)];
  return (
    <Page
      title="Limits"
      lead="What the external systems allow, and what is left of it. A call that does not fit waits its turn."
      actions={
        <Group gap="sm" align="end">
          <Select
            aria-label="Account"
            placeholder="All accounts"
            data={accounts}
            value={account || null}
            onChange={(value) => setAccount(value ?? "")}
            clearable
            size="sm"
          />
          <SegmentedControl
            aria-label="How far back"
            data={hoursOptions}
            value={hours}
            onChange={(value) => setHours(value === "6" ? "" : value)}
            size="sm"
          />
        </Group>
      }
    >
      <ProblemNotice problem={list.problem ?? past.problem} onRetry={() => void list.refetch()} />
      {shown === undefined ? list.problem ? null : <Loading /> : <Attention limits={shown} nameOf={nameOf} />}
      <WaitingRuns />
      {shown?.length === 0 ? <None isFiltered={account !== ""} /> : null}
      {groups.map(([connectionId, limits]) => (
        <LimitsOfAccount
          key={connectionId}
          connectionId={connectionId}
          label={nameOf(connectionId).label}
          system={nameOf(connectionId).system}
          limits={limits}
          histories={histories}
        />
      ))}
      {list.hasMore ? (
        <Button
          variant="default"
          className="more"
          loading={list.isLoadingMore}
          onClick={() => {
            list.loadMore();
            past.loadMore();
          }}
        >
          Show more
        </Button>
      ) : null}
    </Page>
  );
}

/** The accounts of the project by name. */
function useAccounts() {
  const { data } = useRead("/latest/connections/list", { limit: 100 }, { staleTime: 60_000 });
  const { data: systems } = useRead("/latest/systems/list", {}, { staleTime: 300_000 });
  return useMemo(() => {
    const titles = new Map(systems?.results.map(({ system, title }) => [system as string, title]));
    const known = data?.results.filter(({ state }) => state !== "removed") ?? [];
    const byId = new Map(known.map((each) => [each.connection_id, each]));
    return {
      accounts: known.map(({ connection_id, label }) => ({ value: connection_id, label })),
      nameOf(id: string) {
        const account = byId.get(id);
        const system = account ? (titles.get(account.system) ?? account.system) : "";
        return { label: account?.label ?? id, system };
      },
    };
  }, [data, systems]);
}

/** What needs attention, in one sentence at the top. */
function Attention({ limits, nameOf }: { limits: Limit[]; nameOf: (id: string) => { label: string } }) {
  const of = (wanted: string) =>
    limits
      .filter((limit) => standingOf(limit) === wanted)
      .map((limit) => `${titleOf(limit)} of ${nameOf(limit.connection_id).label}`);
  const [usedUp, waitedFor] = [of("used up"), of("waited for")];
  if (usedUp.length + waitedFor.length === 0) return null;
  return (
    <Notice tone="warn">
      {usedUp.length > 0 ? <div>Used up: {usedUp.join(", ")}.</div> : null}
      {waitedFor.length > 0 ? <div>Runs wait for: {waitedFor.join(", ")}.</div> : null}
    </Notice>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  const projectId = useProject();
  if (isFiltered) return <Empty title="Nothing known of this account">It shows its limits after its first call.</Empty>;
  return (
    <Empty
      title="No limits yet"
      action={
        <Button component={AppLink} to={paths.connect(projectId)}>
          Connect an account
        </Button>
      }
    >
      Each connected account shows here what its system allows: calls in a short time, calls a day, tokens. Connect one
      to begin.
    </Empty>
  );
}

const Loading = () => (
  <div className="columns-3" role="status" aria-label="Loading the limits" aria-busy="true">
    {["a", "b", "c"].map((name) => (
      <Skeleton key={name} height={220} />
    ))}
  </div>
);
