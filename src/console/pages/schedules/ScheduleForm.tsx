import { Button, Divider, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useWrite } from "../../state/use-write.ts";
import { Modal } from "../../ui/dialogs/Dialog.tsx";
import { mistakeAt } from "../tools/mistakes-by-field.ts";
import { isSame } from "../tools/tool.ts";
import { type NextTimes as Found, useNextTimes } from "./compute-next-times.ts";
import { scheduleWords } from "./describe-cron.ts";
import { NextTimes } from "./NextTimes.tsx";
import {
  draftOf,
  type Misfire,
  misfires,
  type Schedule,
  type ScheduleDraft,
  scheduleChanges,
} from "./schedule-draft.ts";
import { TimeZoneSelect } from "./TimeZoneSelect.tsx";
import { TimingFields } from "./TimingFields.tsx";
import { ToolFields } from "./ToolFields.tsx";
import { cronOf } from "./timing-as-cron.ts";

/** Makes a schedule, or changes one. What was typed survives a reload, until it is saved or discarded. */
export function ScheduleForm({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const name = `schedule.${schedule?.schedule_id ?? "new"}`;
  const [kept, keep, clear] = useDraft<ScheduleDraft | null>(name, null);
  const draft = kept ?? draftOf(schedule);
  const set = (change: Partial<ScheduleDraft>) => keep({ ...draft, ...change });
  const done = () => {
    clear();
    onClose();
  };
  const create = useWrite("/latest/schedules/create", { changes: scheduleChanges, onDone: done });
  const update = useWrite("/latest/schedules/{schedule_id}/update", { changes: scheduleChanges, onDone: done });
  const problem = create.problem ?? update.problem;
  const mistakes = problem?.errors ?? [];
  const cron = cronOf(draft.timing);
  const found = useNextTimes(cron, draft.timeZone);
  const isSound = found === null || "times" in found;
  const save = () => {
    const wish = { cron, time_zone: draft.timeZone, misfire: draft.misfire };
    if (schedule === null) return create.run({ tool_id: draft.toolId, ...wish, params: draft.params });
    // Secrets are masked in what is shown, so params that nobody changed stay as they are.
    const changed = isSame(draft.params, schedule.params) ? {} : { params: draft.params };
    update.run({ schedule_id: schedule.schedule_id, ...wish, ...changed });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={schedule === null ? "New schedule" : "Change the schedule"}
      size="xl"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <ProblemNotice problem={problem} />
        <TimingFields
          timing={draft.timing}
          onChange={(timing) => set({ timing })}
          mistake={found && "mistake" in found ? found.mistake : mistakeAt(mistakes, "/cron")}
        />
        <TimeZoneSelect
          value={draft.timeZone}
          onChange={(timeZone) => set({ timeZone })}
          error={mistakeAt(mistakes, "/time_zone")}
        />
        <Preview cron={cron} timeZone={draft.timeZone} found={found} />
        <Divider />
        <ToolFields
          toolId={draft.toolId}
          isOpen={schedule === null}
          params={draft.params}
          mistakes={mistakes}
          onTool={(toolId) => set({ toolId, params: {} })}
          onParams={(params) => set({ params })}
        />
        <Select
          label="Missed times"
          description="What happens to times that passed while this service was off or could start nothing."
          data={misfires}
          value={draft.misfire}
          onChange={(misfire) => misfire && set({ misfire: misfire as Misfire })}
          allowDeselect={false}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={done}>
            Discard
          </Button>
          <Button
            onClick={save}
            loading={create.isRunning || update.isRunning}
            disabled={draft.toolId === "" || !isSound}
          >
            {schedule === null ? "Create the schedule" : "Save the schedule"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The timing in words, and its next five times, while it is typed. */
function Preview({ cron, timeZone, found }: { cron: string; timeZone: string; found: Found | null }) {
  if (found === null) return <Skeleton height={140} />;
  if ("mistake" in found) return null;
  return (
    <div className="help" role="status" aria-label="When it runs">
      <Text fw={600}>{scheduleWords(cron, timeZone)}</Text>
      <NextTimes times={found.times} timeZone={timeZone} />
      <Text size="xs" c="dimmed" mt={4} className="mono">
        {cron}
      </Text>
    </div>
  );
}
