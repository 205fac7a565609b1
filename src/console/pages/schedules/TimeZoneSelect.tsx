import { Select } from "@mantine/core";
import { useMemo } from "react";
import { offsetOf, ownTimeZone } from "./zone-time.ts";

interface TimeZoneSelectProps {
  value: string;
  onChange: (timeZone: string) => void;
  error?: string | undefined;
}

/** A time zone, found by typing its place. The person's own and UTC come first. */
export function TimeZoneSelect({ value, onChange, error }: TimeZoneSelectProps) {
  const data = useMemo(() => {
    const first = [...new Set([ownTimeZone(), "UTC", value])];
    const others = Intl.supportedValuesOf("timeZone").filter((zone) => !first.includes(zone));
    return [...first, ...others].map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
  }, [value]);
  return (
    <Select
      label="Time zone"
      description={`Now ${offsetOf(value)}. Daylight saving time is taken into account.`}
      data={data}
      value={value}
      onChange={(next) => next && onChange(next)}
      searchable
      limit={40}
      allowDeselect={false}
      nothingFoundMessage="No time zone has this name. Try a large city nearby."
      error={error}
    />
  );
}
