import { Stack, Text, UnstyledButton } from "@mantine/core";
import { presentationOf } from "../../../state/systems.ts";
import type { SystemRecord } from "../accounts/describe-account.ts";

interface ChooseSystemProps {
  systems: SystemRecord[];
  onChoose: (system: string) => void;
}

/** The first question, where the address does not say which system. */
export function ChooseSystem({ systems, onChoose }: ChooseSystemProps) {
  return (
    <Stack gap="xs">
      <Text size="sm">Which system?</Text>
      {systems.map(({ system, title, vendor }, index) => (
        <UnstyledButton
          key={system}
          className="choice"
          onClick={() => onChoose(system)}
          {...(index === 0 ? { "data-autofocus": true } : {})}
        >
          <Text fw={600}>{title}</Text>
          <Text size="sm" c="dimmed">
            Works with {vendor}. {presentationOf(system)?.purpose}
          </Text>
        </UnstyledButton>
      ))}
    </Stack>
  );
}
