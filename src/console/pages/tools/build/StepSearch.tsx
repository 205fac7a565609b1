import { Badge, Paper, Text, TextInput, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { systemsToTry, titleOfSystem } from "../../../state/systems.ts";
import { useRead } from "../../../state/use-read.ts";
import { indexSteps } from "./index-steps.ts";

interface StepSearchProps {
  onChoose: (stepId: string) => void;
  description?: string;
  /** Only steps of systems: words of tools, such as waits, are left out. */
  isStepsOnly?: boolean;
}

/** The search bar for steps. */
export function StepSearch({ onChoose, description, isStepsOnly = false }: StepSearchProps) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isFocused, setFocused] = useState(false);
  const { data } = useRead("/latest/steps/list", { limit: 100 }, { staleTime: 600_000 });
  const find = useMemo(() => indexSteps(data?.results ?? []), [data]);
  const found = useMemo(
    () => find(query).filter(({ system }) => !isStepsOnly || system !== null),
    [find, query, isStepsOnly],
  );
  const id = useId();
  const isOpen = query !== "" || isFocused;
  const choose = (stepId: string | undefined) => {
    if (stepId === undefined) return;
    setQuery("");
    setChosen(0);
    // Closed at once: a list that closed with the next press would move the page, and what was pressed, from under the pointer.
    setFocused(false);
    onChoose(stepId);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(found.length - 1, chosen + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[chosen]?.id);
    } else if (event.key === "Escape") {
      setQuery("");
      setFocused(false);
    }
  };
  return (
    <div>
      <TextInput
        label="Search steps"
        {...(description ? { description } : {})}
        placeholder="deployment, analytics, newsletter …"
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(0);
          setFocused(true);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onClick={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-found`}
        aria-activedescendant={isOpen && found[chosen] ? `${id}-${chosen}` : undefined}
        autoComplete="off"
      />
      {isOpen ? (
        <Paper withBorder mt={4} className="found-steps">
          <div id={`${id}-found`} role="listbox" aria-label="Found">
            {found.map((step, index) => (
              <UnstyledButton
                key={step.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === chosen}
                tabIndex={-1}
                className="command-row"
                // The field keeps the focus, so the list stays until the click has happened.
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => setChosen(index)}
                onClick={() => choose(step.id)}
              >
                <span>
                  <Text span fw={600} size="sm">
                    {step.title}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {step.summary}
                  </Text>
                </span>
                <Badge variant="light" tt="none" className="no-shrink">
                  {step.system === null ? "Tool" : titleOfSystem(step.system)}
                </Badge>
              </UnstyledButton>
            ))}
          </div>
          {found.length === 0 ? (
            <Text c="dimmed" size="sm" p="md">
              No step is found by this. Try the kind of system: {systemsToTry}.
            </Text>
          ) : null}
        </Paper>
      ) : null}
    </div>
  );
}
