import { Button, Popover, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { PickableGroup, PickableValue } from "../form-context.ts";
import { shortValue } from "./short-value.ts";

interface PickValueProps {
  groups: PickableGroup[];
  /** The field that the value goes into. */
  label: string;
  onPick: (expression: string) => void;
}

const shownMax = 60;

/** Picks what an earlier step or the start of the tool provides, with the value that it had last. */
export function PickValue({ groups, label, onPick }: PickValueProps) {
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const fits = ({ expression }: PickableValue) => expression.toLowerCase().includes(query.trim().toLowerCase());
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={340}
      trapFocus
      shadow="md"
      // It stays while the page scrolls, also where that moves its button out of view.
      hideDetached={false}
    >
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-xs"
          className="pick"
          aria-label={`Pick a value for ${label}`}
          title="Pick a value of an earlier step"
          onClick={() => setOpen(!isOpen)}
        >
          <span className="pick-words">Pick a value&nbsp;</span>
          <span aria-hidden="true" className="mono">
            {"{}"}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={`Values for ${label}`}>
        <TextInput
          size="xs"
          aria-label="Filter values"
          placeholder="Filter values"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          mb="xs"
        />
        <ScrollArea.Autosize mah={320} type="auto">
          {groups.map(({ title, values }) => (
            <div key={title}>
              <Text size="xs" fw={600} c="dimmed" px="xs" pt={4}>
                {title}
              </Text>
              {values
                .filter(fits)
                .slice(0, shownMax)
                .map((value) => (
                  <UnstyledButton
                    key={value.expression}
                    className="pick-row"
                    aria-label={`Use ${value.expression}`}
                    onClick={() => {
                      setOpen(false);
                      onPick(value.expression);
                    }}
                  >
                    <span className="mono anywhere">{value.label}</span>
                    <Text span size="xs" c="dimmed" truncate>
                      {value.hasSample ? shortValue(value.sample) : ""}
                    </Text>
                  </UnstyledButton>
                ))}
            </div>
          ))}
          {groups.length === 0 ? (
            <Text size="sm" c="dimmed" p="xs">
              Nothing to pick yet: the tool takes no input, and there is no step before this one.
            </Text>
          ) : null}
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
