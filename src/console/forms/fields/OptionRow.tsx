import { Text } from "@mantine/core";
import type { FieldOption } from "../form-context.ts";

/** One offered value: its name, then what it is on the wire. */
export const OptionRow = ({ option, value }: { option: FieldOption | undefined; value: string }) => (
  <div>
    <Text size="sm" dir="auto">
      {option?.label ?? value}
    </Text>
    {option && option.label !== value ? (
      <Text size="xs" c="dimmed" className="anywhere">
        {value}
      </Text>
    ) : null}
    {option?.hint ? (
      <Text size="xs" c="dimmed">
        {option.hint}
      </Text>
    ) : null}
  </div>
);
