import { ActionIcon, Badge, Collapse, Divider, Group, Menu, Paper, Stack, Text, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useMemo } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import { waitSteps } from "../../../state/systems.ts";
import { mistakeAt } from "../mistakes-by-field.ts";
import type { Definition, StepRecord, ToolStep } from "../tool.ts";
import { AccountSelect } from "./AccountSelect.tsx";
import { isToolWord, toolWords } from "./built-in-steps.ts";
import { StepConditions } from "./StepConditions.tsx";
import { StepForm } from "./StepForm.tsx";
import { TryStep } from "./TryStep.tsx";
import { fillIn, type KnownValues, pickableFor, previewOf } from "./template-values.ts";
import type { Outputs } from "./use-known-values.ts";

export interface StepCardProps {
  definition: Definition;
  index: number;
  record: StepRecord | undefined;
  errors: FieldMistake[];
  known: KnownValues;
  isOpen: boolean;
  onToggle: () => void;
  onChange: (step: ToolStep) => void;
  onRename: (name: string) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  onDuplicate: () => void;
  outputs: Outputs;
}

/** One step of the flow: a line when it is closed, its account, fields and rules when it is open. */
export function StepCard(props: StepCardProps) {
  const { definition, index, record, errors, isOpen, outputs, onToggle, onMove, onRemove, onDuplicate } = props;
  const step = definition.steps[index] as ToolStep;
  const title = toolWords[step.step]?.title ?? record?.title ?? step.step;
  const own = errors.filter(({ pointer }) => `${pointer}/`.replace(/^#/, "").startsWith(`/steps/${index}/`));
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || by === undefined) return;
    event.preventDefault();
    onMove(index + by);
  };
  return (
    <Paper
      withBorder
      className="step-card"
      component="li"
      aria-label={`Step ${index + 1}: ${title}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const from = Number(event.dataTransfer.getData("text/x-step"));
        if (Number.isInteger(from) && from !== index)
          window.dispatchEvent(new CustomEvent("move-step", { detail: { from, to: index } }));
      }}
    >
      <Group gap="xs" wrap="nowrap" px="sm" py={8}>
        <span
          className="drag"
          draggable
          aria-hidden="true"
          title="Drag to another position"
          onDragStart={(event) => event.dataTransfer.setData("text/x-step", String(index))}
        >
          ⠿
        </span>
        <UnstyledButton
          className="step-head"
          aria-expanded={isOpen}
          onClick={onToggle}
          onKeyDown={onKeyDown}
          title="Alt with the arrow keys moves the step"
        >
          <Text span c="dimmed" size="sm">
            {index + 1}
          </Text>
          <span>
            <Text span fw={600} size="sm">
              {title}
            </Text>
            <Text span size="sm" c="dimmed" className="mono" ml={8}>
              {step.name}
            </Text>
          </span>
        </UnstyledButton>
        {step.if ? (
          <Badge variant="outline" tt="none" className="no-shrink extra">
            if
          </Badge>
        ) : null}
        {step.foreach ? (
          <Badge variant="outline" tt="none" className="no-shrink extra">
            for each
          </Badge>
        ) : null}
        {outputs.of(step.name)?.from === "pin" ? (
          <Badge variant="outline" tt="none" className="no-shrink extra">
            pinned
          </Badge>
        ) : null}
        {own.length > 0 ? (
          <Badge tt="none" className="no-shrink tone-bad">
            {own.length} {own.length === 1 ? "mistake" : "mistakes"}
          </Badge>
        ) : null}
        <ActionIcon
          variant="subtle"
          aria-label={`Move ${step.name} up`}
          {...unless(index > 0)}
          onClick={() => onMove(index - 1)}
        >
          ↑
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          aria-label={`Move ${step.name} down`}
          {...unless(index < definition.steps.length - 1)}
          onClick={() => onMove(index + 1)}
        >
          ↓
        </ActionIcon>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" aria-label={`More for ${step.name}`}>
              ⋯
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={onDuplicate}>Duplicate</Menu.Item>
            <Menu.Item color="red" onClick={onRemove}>
              Remove the step
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Collapse expanded={isOpen}>{isOpen ? <OpenStep {...props} step={step} /> : null}</Collapse>
    </Paper>
  );
}

/** A button that does nothing now, and keeps the focus. */
const unless = (isPossible: boolean) => (isPossible ? {} : { "data-disabled": true, "aria-disabled": true });

function OpenStep({
  definition,
  index,
  record,
  errors,
  known,
  step,
  onChange,
  onRename,
  outputs,
}: StepCardProps & { step: ToolStep }) {
  const hasForeach = step.foreach !== undefined;
  const values = useMemo<KnownValues>(() => {
    if (step.foreach === undefined) return known;
    const list = fillIn(step.foreach, known).value;
    const item = Array.isArray(list) ? list[0] : undefined;
    return item === undefined ? known : { ...known, foreach: { item, index: 0 } };
  }, [known, step.foreach]);
  const pickable = useMemo(
    () => pickableFor(definition, index, values, hasForeach),
    [definition, index, values, hasForeach],
  );
  const before = useMemo(() => pickableFor(definition, index, known, false), [definition, index, known]);
  const preview = useMemo(() => (template: string) => previewOf(template, values), [values]);
  const system = waitSteps.find(({ id }) => id === step.step)?.system ?? record?.system;
  return (
    <Stack gap="md" px={{ base: "sm", sm: "lg" }} pb="lg" pt={4}>
      {record ? (
        <Text size="sm" c="dimmed">
          {record.summary}
        </Text>
      ) : null}
      {mistakeAt(errors, `/steps/${index}/step`) ? (
        <Text size="sm" c="var(--bad)">
          {mistakeAt(errors, `/steps/${index}/step`)}
        </Text>
      ) : null}
      {system === undefined ? null : (
        <AccountSelect
          system={system}
          value={step.connection_id}
          onChange={(connectionId) => onChange({ ...step, connection_id: connectionId })}
          error={mistakeAt(errors, `/steps/${index}/connection_id`)}
        />
      )}
      <StepForm
        step={step}
        index={index}
        errors={errors}
        pickable={pickable}
        preview={preview}
        onChange={(input) => onChange({ ...step, input })}
      />
      <Divider label="When it runs" labelPosition="left" className="part" />
      <StepConditions
        step={step}
        index={index}
        errors={errors}
        pickable={before}
        preview={preview}
        onChange={onChange}
        onRename={onRename}
      />
      {isToolWord(step.step) ? null : (
        <>
          <Divider label="Try it" labelPosition="left" className="part" />
          <TryStep step={step} known={values} outputs={outputs} />
        </>
      )}
    </Stack>
  );
}
