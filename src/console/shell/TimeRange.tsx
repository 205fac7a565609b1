import type { SelectProps } from "@mantine/core";
import { type TimeRangeState, timeRanges } from "../state/use-time-range.ts";
import { FilterSelect } from "../ui/rows/FilterSelect.tsx";
import { Moment } from "../ui/times/Moment.tsx";

const options = [
  ...Object.entries(timeRanges).map(([value, { label }]) => ({ value, label })),
  { value: "custom", label: "From … to …" },
];

type TimeRangeProps = { range: TimeRangeState } & Omit<SelectProps, "data" | "value" | "onChange">;

/** The period of a list: one of the usual ones, or from one time to another. */
export function TimeRange({ range, ...look }: TimeRangeProps) {
  return (
    <>
      <FilterSelect
        {...look}
        label="Time"
        any="Any time"
        options={options}
        value={range.time}
        onChange={range.setTime}
      />
      {range.time === "custom" ? (
        <>
          <Moment label="From" value={range.from} onChange={range.setFrom} />
          <Moment label="To" value={range.to} onChange={range.setTo} />
        </>
      ) : null}
    </>
  );
}
