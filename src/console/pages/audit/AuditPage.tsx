import { Button, Text } from "@mantine/core";
import { useState } from "react";
import type { SignalboxProblem } from "../../../client/problem.ts";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { SearchOlder } from "../../shell/SearchOlder.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { useOpenState } from "../../state/use-search-state.ts";
import { useRole, useWho } from "../../state/use-who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { Page } from "../../ui/Page.tsx";
import type { Column } from "../../ui/rows/RowList.tsx";
import { VirtualRows } from "../../ui/rows/VirtualRows.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { AuditFilters } from "./AuditFilters.tsx";
import { actionOf, type Entry, type FindName, shortDetails, whoOf } from "./describe-entry.ts";
import { EntryDrawer } from "./EntryDrawer.tsx";
import { ExportAudit } from "./ExportAudit.tsx";
import { useAuditFilter } from "./use-audit-filter.ts";
import { useEmails } from "./use-emails.ts";
import { useFindName } from "./use-target-names.ts";
import { useVerify } from "./VerifyChain.tsx";

const lead = "Every change, by whom and from where. A row can be neither changed nor removed without being noticed.";

export function AuditPage() {
  const projectId = useProject();
  const { may } = useRole(projectId);
  const { data: who } = useWho();
  if (who === undefined || may("admin")) return <AuditLog />;
  return (
    <Page title="Audit log" lead={lead}>
      <Empty
        title="Only admins can read the audit log"
        action={
          <Button component={AppLink} to={paths.people(projectId)} variant="default">
            See who is an admin
          </Button>
        }
      >
        Ask an admin of the project, or the owner of the organization.
      </Empty>
    </Page>
  );
}

function AuditLog() {
  const filter = useAuditFilter();
  const emails = useEmails();
  const findName = useFindName();
  const [row, setRow] = useOpenState("row");
  const list = useList("/latest/audit/list", { ...filter.input, limit: 100 });
  const [exportProblem, setExportProblem] = useState<SignalboxProblem | null>(null);
  const { button, result } = useVerify();
  const seq = /^\d{1,15}$/.test(row) ? Number(row) : null;
  return (
    <Page
      title="Audit log"
      lead={lead}
      actions={
        <>
          {button}
          <ExportAudit input={filter.input} onProblem={setExportProblem} />
        </>
      }
    >
      {result}
      <AuditFilters filter={filter} emails={emails} />
      <ProblemNotice problem={list.problem ?? exportProblem} onRetry={() => void list.refetch()} />
      {list.problem && !list.rows ? null : (
        <VirtualRows
          label="Audit log"
          rows={list.rows}
          empty={
            list.hasMore ? (
              <SearchOlder rows="rows" isLoading={list.isLoadingMore} onOlder={list.loadMore} />
            ) : filter.isFiltered ? (
              <Empty title="No row matches these filters">Choose other filters, or clear them.</Empty>
            ) : (
              <Empty title="Nothing has changed yet">Each change in the project will be listed here.</Empty>
            )
          }
          keyOf={({ seq }) => String(seq)}
          columns={columnsFor(emails, findName)}
          onOpen={({ seq }) => setRow(String(seq))}
          hasMore={list.hasMore}
          isLoadingMore={list.isLoadingMore}
          onMore={list.loadMore}
        />
      )}
      {seq === null ? null : (
        <EntryDrawer
          seq={seq}
          isWholeOrganization={filter.scope === "organization"}
          emails={emails}
          findName={findName}
          onClose={() => setRow("")}
        />
      )}
    </Page>
  );
}

const columnsFor = (emails: ReadonlyMap<string, string>, findName: FindName): Column<Entry>[] => [
  {
    title: "What",
    width: "minmax(0, 2fr)",
    cell: (entry) => (
      <>
        <Text size="sm" fw={600} truncate>
          {actionOf(entry.action)}
        </Text>
        <Text size="xs" c="dimmed" truncate dir="auto">
          {shortDetails(entry, findName) || entry.target || "–"}
          <span className="narrow"> · {whoOf(entry, emails)}</span>
        </Text>
      </>
    ),
  },
  {
    title: "Who",
    width: "minmax(0, 1fr)",
    isExtra: true,
    cell: (entry) => (
      <Text size="sm" truncate title={whoOf(entry, emails)}>
        {whoOf(entry, emails)}
      </Text>
    ),
  },
  {
    title: "From",
    width: "9rem",
    isExtra: true,
    cell: ({ ip }) => (
      <Text size="xs" c="dimmed" className="mono">
        {ip ?? "–"}
      </Text>
    ),
  },
  { title: "When", width: "8rem", align: "right", cell: ({ created_at }) => <Time at={created_at} /> },
];
