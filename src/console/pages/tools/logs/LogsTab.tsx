import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { RecordOf } from "../../../../client/wire.ts";
import { paths } from "../../../paths.ts";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useList } from "../../../state/use-read.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";

type Run = RecordOf<"/latest/runs/list">;

/** The runs of one tool, newest first. */
export function LogsTab({ toolId }: { toolId: string }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const [, setTab] = useSearchState("tab");
  const list = useList("/latest/runs/list", { tool_id: toolId, limit: 50 }, { every: 4000 });
  return (
    <LoadedList
      label="Runs of this tool"
      list={list}
      keyOf={(run) => run.run_id}
      onOpen={(run) => void navigate({ to: paths.run(projectId, run.run_id) } as never)}
      empty={
        <Empty title="It has not run yet" action={<Button onClick={() => setTab("use")}>Use the tool</Button>}>
          Every run is listed here, with each request and response.
        </Empty>
      }
      columns={[
        { title: "Status", cell: ({ status }) => <StatusBadge status={status} />, width: "10rem" },
        { title: "What happened", cell: (run) => <Happened run={run} /> },
        { title: "Took", cell: (run) => tookOf(run), width: "6rem", align: "right", isExtra: true },
        { title: "Started", cell: ({ created_at }) => <Time at={created_at} />, width: "9rem" },
      ]}
    />
  );
}

const Happened = ({ run }: { run: Run }) => (
  <>
    <Text size="sm" className="anywhere">
      {run.problem?.detail ?? run.waiting_for?.detail ?? ""}
    </Text>
    <Text size="xs" c="dimmed" className="mono anywhere">
      {run.run_id}
    </Text>
  </>
);

function tookOf({ created_at, finished_at }: Run): string {
  if (!finished_at) return "–";
  const ms = Date.parse(finished_at) - Date.parse(created_at);
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
