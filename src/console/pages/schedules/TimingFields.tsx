import { Chip, Group, Input, Select, Stack, TextInput } from "@mantine/core";
import { pauses, type Repeat, repeats, type Timing } from "./timing-as-cron.ts";

interface TimingFieldsProps {
  timing: Timing;
  onChange: (timing: Timing) => void;
  mistake: string | undefined;
}

const weekdays = [
  ["1", "Mon"],
  ["2", "Tue"],
  ["3", "Wed"],
  ["4", "Thu"],
  ["5", "Fri"],
  ["6", "Sat"],
  ["0", "Sun"],
] as const;

const days = [
  ...Array.from({ length: 31 }, (_, index) => ({ value: String(index + 1), label: `Day ${index + 1}` })),
  { value: "L", label: "The last day" },
];

const pauseLabel = (minutes: number): string => {
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`;
};

/** How often, on which days and at what time. */
export function TimingFields({ timing, onChange, mistake }: TimingFieldsProps) {
  const set = (change: Partial<Timing>) => onChange({ ...timing, ...change });
  return (
    <Stack gap="sm">
      <Group gap="sm" align="start">
        <Select
          label="Repeats"
          data={repeats}
          value={timing.repeat}
          onChange={(repeat) => repeat && set({ repeat: repeat as Repeat })}
          allowDeselect={false}
          flex="2 1 14rem"
          data-autofocus
        />
        {timing.repeat === "every" ? (
          <Select
            label="Pause"
            data={pauses.map((minutes) => ({ value: String(minutes), label: pauseLabel(minutes) }))}
            value={String(timing.minutes)}
            onChange={(minutes) => minutes && set({ minutes: Number(minutes) })}
            allowDeselect={false}
            flex="1 1 9rem"
          />
        ) : null}
        {timing.repeat === "monthly" ? (
          <Select
            label="Day"
            data={days}
            value={timing.day}
            onChange={(day) => day && set({ day })}
            allowDeselect={false}
            flex="1 1 8rem"
          />
        ) : null}
        {timing.repeat === "every" || timing.repeat === "cron" ? null : (
          <TextInput
            type="time"
            label="Time"
            value={timing.time}
            onChange={({ currentTarget: { value } }) => value !== "" && set({ time: value.slice(0, 5) })}
            flex="1 1 7rem"
          />
        )}
        {timing.repeat === "cron" ? (
          <TextInput
            label="Cron expression"
            description="Minute, hour, day, month, weekday"
            value={timing.cron}
            onChange={(event) => set({ cron: event.currentTarget.value })}
            error={mistake}
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            className="mono-input"
            inputWrapperOrder={["label", "input", "description", "error"]}
            flex="1 1 12rem"
          />
        ) : null}
      </Group>
      {timing.repeat === "weekly" ? (
        <Input.Wrapper
          label="Days"
          component="fieldset"
          labelElement="div"
          className="plain-fieldset"
          error={timing.weekdays.length === 0 ? "Choose at least one day." : null}
        >
          <Chip.Group
            multiple
            value={timing.weekdays.map(String)}
            onChange={(chosen) => set({ weekdays: chosen.map(Number) })}
          >
            <Group gap={6} mt={4}>
              {weekdays.map(([value, label]) => (
                <Chip key={value} value={value} size="sm">
                  {label}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </Input.Wrapper>
      ) : null}
      {timing.repeat === "monthly" && Number(timing.day) > 28 ? (
        <Input.Description>Months that have no day {timing.day} are left out.</Input.Description>
      ) : null}
      {mistake !== undefined && timing.repeat !== "cron" && timing.repeat !== "weekly" ? (
        <Input.Error>{mistake}</Input.Error>
      ) : null}
    </Stack>
  );
}
