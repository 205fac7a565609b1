import { Select, TextInput } from "@mantine/core";
import { presetOf, presets, type Settings } from "./settings.ts";

interface DatesProps {
  from: string;
  to: string;
  onChange: (dates: Pick<Settings, "from" | "to">) => void;
}

/** A usual period, or exact days. They are days of the property's own time zone. */
export function Dates({ from, to, onChange }: DatesProps) {
  const preset = presetOf({ from, to });
  const choose = (value: string | null) => {
    const next = presets.find((each) => each.value === value);
    onChange(next ? { from: next.from, to: next.to } : { from: dayOf(from), to: dayOf(to) });
  };
  return (
    <>
      <Select
        label="Dates"
        data={[...presets.map(({ value, label }) => ({ value, label })), { value: "exact", label: "Exact days …" }]}
        value={preset?.value ?? "exact"}
        onChange={choose}
        allowDeselect={false}
        flex="0 1 16rem"
      />
      {preset ? null : (
        <>
          <TextInput
            type="date"
            label="First day"
            value={dayOf(from)}
            max={dayOf(to)}
            onChange={({ currentTarget: { value } }) => value && onChange({ from: value, to: dayOf(to) })}
            flex="0 1 11rem"
          />
          <TextInput
            type="date"
            label="Last day"
            value={dayOf(to)}
            min={dayOf(from)}
            onChange={({ currentTarget: { value } }) => value && onChange({ from: dayOf(from), to: value })}
            flex="0 1 11rem"
          />
        </>
      )}
    </>
  );
}

/** A relative day as a date, as of today. */
function dayOf(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const ago = text === "today" ? 0 : text === "yesterday" ? 1 : Number.parseInt(text, 10) || 0;
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}
