import { Anchor, Button, Group, Menu, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useWrite } from "../../state/use-write.ts";
import { Notice } from "../../ui/Notice.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { useNames } from "../runs/use-names.ts";
import { DeleteSchedule } from "./DeleteSchedule.tsx";
import { scheduleWords } from "./describe-cron.ts";
import { LastResult } from "./LastResult.tsx";
import { NextTimes } from "./NextTimes.tsx";
import { type Schedule, scheduleChanges } from "./schedule-draft.ts";
import type { useSchedules } from "./use-schedules.ts";

interface ScheduleListProps {
  list: ReturnType<typeof useSchedules>;
  isEditor: boolean;
  empty: ReactNode;
  onOpen: (schedule: Schedule) => void;
}

export function ScheduleList({ list, isEditor, empty, onOpen }: ScheduleListProps) {
  const projectId = useProject();
  const names = useNames();
  const [deleting, setDeleting] = useState<Schedule | null>(null);
  const turn = useWrite("/latest/schedules/{schedule_id}/update", { changes: scheduleChanges });
  const start = useWrite("/latest/tools/{tool_id}/trigger_async", { changes: ["/latest/runs/list"] });
  const wordsFor = ({ cron, time_zone }: Schedule) => scheduleWords(cron, time_zone);
  return (
    <>
      <ProblemNotice problem={turn.problem ?? start.problem} />
      {start.output ? (
        <Notice
          tone="good"
          action={
            <Button
              component={AppLink}
              to={paths.run(projectId, start.output.run_id)}
              variant="default"
              size="compact-sm"
            >
              Open the run
            </Button>
          }
        >
          The tool was started now. The schedule continues as before.
        </Notice>
      ) : null}
      <LoadedList
        label="Schedules"
        list={list}
        keyOf={({ schedule_id }) => schedule_id}
        {...(isEditor ? { onOpen } : {})}
        empty={empty}
        columns={[
          {
            title: "When",
            cell: (schedule) => (
              <>
                <Text fw={600}>
                  {wordsFor(schedule)} {schedule.enabled ? null : <StateBadge tone="warn" text="Paused" />}
                </Text>
                <Text size="sm" c="dimmed" dir="auto" className="anywhere">
                  {isEditor ? (
                    <Anchor component={AppLink} to={paths.tool(projectId, schedule.tool_id)} size="sm">
                      {names.find(schedule.tool_id) ?? "Tool"}
                    </Anchor>
                  ) : (
                    <span className="mono">{schedule.tool_id}</span>
                  )}
                </Text>
              </>
            ),
          },
          {
            title: "Next five times",
            width: "13rem",
            cell: (schedule) =>
              schedule.enabled ? (
                <NextTimes times={schedule.next_runs} timeZone={schedule.time_zone} />
              ) : (
                <Text size="sm" c="dimmed">
                  None while it is paused
                </Text>
              ),
          },
          { title: "Last result", width: "13rem", cell: (schedule) => <LastResult schedule={schedule} /> },
          {
            title: "",
            width: "15rem",
            align: "right",
            cell: (schedule) =>
              isEditor ? (
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  <RunNow
                    schedule={schedule}
                    words={wordsFor(schedule)}
                    onRun={() => start.run({ tool_id: schedule.tool_id, params: schedule.params })}
                  />
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`${schedule.enabled ? "Pause" : "Resume"}: ${wordsFor(schedule)}`}
                    onClick={() => turn.run({ schedule_id: schedule.schedule_id, enabled: !schedule.enabled })}
                  >
                    {schedule.enabled ? "Pause" : "Resume"}
                  </Button>
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <Button variant="subtle" size="compact-sm" aria-label={`More: ${wordsFor(schedule)}`}>
                        More
                      </Button>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item onClick={() => onOpen(schedule)}>Change</Menu.Item>
                      <Menu.Item color="red" onClick={() => setDeleting(schedule)}>
                        Delete
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                </Group>
              ) : null,
          },
        ]}
      />
      <DeleteSchedule schedule={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

/** Secrets in params are not shown, so a schedule that has some is started on the tool's page, where they are typed. */
function RunNow({ schedule, words, onRun }: { schedule: Schedule; words: string; onRun: () => void }) {
  const projectId = useProject();
  const look = { variant: "subtle", size: "compact-sm", "aria-label": `Run now: ${words}` } as const;
  return JSON.stringify(schedule.params).includes("[secret]") ? (
    <Button {...look} component={AppLink} to={paths.tool(projectId, schedule.tool_id)}>
      Run now
    </Button>
  ) : (
    <Button {...look} onClick={onRun}>
      Run now
    </Button>
  );
}
