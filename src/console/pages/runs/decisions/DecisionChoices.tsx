import { Button, Kbd, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type ReactNode, useId } from "react";

export interface Choice {
  /** The key that presses it, where keys are on. */
  key: string;
  label: string;
  /** What follows from it, read before it is pressed. */
  consequence: ReactNode;
  isMain?: boolean;
  isRunning?: boolean;
  onPress: () => void;
}

interface DecisionChoicesProps {
  choices: Choice[];
  /** Why none of them can be pressed, or null. */
  refusal: string | null;
  hasKeys?: boolean;
  /** One was pressed, and a dialog asks: keys belong to it. */
  isAsking?: boolean;
}

/** What a person can do about something, each with its consequence beside it. */
export function DecisionChoices({ choices, refusal, hasKeys = false, isAsking = false }: DecisionChoicesProps) {
  const id = useId();
  useHotkeys(hasKeys && !isAsking && refusal === null ? choices.map(({ key, onPress }) => [key, onPress]) : []);
  return (
    <div>
      <ul className="choices" aria-label="What you can do">
        {choices.map(({ key, label, consequence, isMain, isRunning, onPress }) => (
          <li key={key}>
            <Button
              variant={isMain ? "filled" : "default"}
              onClick={onPress}
              disabled={refusal !== null}
              loading={isRunning ?? false}
              aria-describedby={`${id}-${key}`}
              {...(hasKeys ? { "aria-keyshortcuts": key } : {})}
              rightSection={
                hasKeys ? (
                  <Kbd size="xs" aria-hidden="true">
                    {key}
                  </Kbd>
                ) : null
              }
            >
              {label}
            </Button>
            <Text size="sm" c="dimmed" id={`${id}-${key}`}>
              {consequence}
            </Text>
          </li>
        ))}
      </ul>
      {refusal === null ? null : (
        <Text size="sm" mt="sm">
          {refusal}
        </Text>
      )}
    </div>
  );
}
