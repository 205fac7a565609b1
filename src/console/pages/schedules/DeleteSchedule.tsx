import { Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { scheduleWords } from "./describe-cron.ts";
import { type Schedule, scheduleChanges } from "./schedule-draft.ts";

/** Asks, then deletes the schedule. */
export function DeleteSchedule({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const remove = useWrite("/latest/schedules/{schedule_id}/delete", { changes: scheduleChanges, onDone: onClose });
  return (
    <Confirm
      opened={schedule !== null}
      title="Delete this schedule?"
      action="Delete the schedule"
      isDangerous
      isRunning={remove.isRunning}
      onConfirm={() => schedule && remove.run({ schedule_id: schedule.schedule_id })}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      <ProblemNotice problem={remove.problem} />
      <Text size="sm">
        {schedule ? scheduleWords(schedule.cron, schedule.time_zone) : ""}. Nothing is started by it any more. The tool
        and the runs that it started stay. To stop it for a while, pause it instead.
      </Text>
    </Confirm>
  );
}
