import { TextInput } from "@mantine/core";

interface MomentProps {
  label: string;
  /** In the browser's own time zone: 2030-01-31T09:00. */
  value: string;
  onChange: (value: string) => void;
}

/** A date with a time of day. */
export const Moment = ({ label, value, onChange }: MomentProps) => (
  <TextInput
    type="datetime-local"
    label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
