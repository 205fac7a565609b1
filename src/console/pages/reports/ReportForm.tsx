import { Button, Group, Select, SimpleGrid, Stack } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import type { Account } from "../../state/use-accounts.ts";
import { Section } from "../../ui/Section.tsx";
import { Cost } from "./Cost.tsx";
import { Dates } from "./Dates.tsx";
import { FieldPicker } from "./FieldPicker.tsx";
import { Filters } from "./Filters.tsx";
import { Sources } from "./Sources.tsx";
import { rowChoices, type Settings } from "./settings.ts";
import type { Field, Fields } from "./use-fields.ts";

interface ReportFormProps {
  accounts: Account[];
  properties: Map<string, Field[] | undefined>;
  fields: Fields;
  settings: Settings;
  onChange: (settings: Settings) => void;
  isComplete: boolean;
  isRunning: boolean;
  onRun: () => void;
}

export function ReportForm(props: ReportFormProps) {
  const { accounts, properties, fields, settings, onChange, isComplete, isRunning, onRun } = props;
  const change = (next: Partial<Settings>) => onChange({ ...settings, ...next });
  return (
    <Section title="What to report">
      <Stack gap="md">
        <ProblemNotice problem={fields.problem} />
        <Sources
          accounts={accounts}
          properties={properties}
          sources={settings.sources}
          onChange={(sources) => change({ sources })}
        />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <FieldPicker
            label="Metrics"
            description="What is counted, 1 to 10."
            fields={fields.metrics.fields}
            isLoading={fields.metrics.isLoading}
            value={settings.metrics}
            max={10}
            onChange={(metrics) => change({ metrics })}
            error={settings.metrics.length === 0 ? "Choose at least one metric." : undefined}
          />
          <FieldPicker
            label="Dimensions"
            description="What the figures are split by, at most 9. Each one adds to the cost."
            fields={fields.dimensions.fields}
            isLoading={fields.dimensions.isLoading}
            value={settings.dimensions}
            max={9}
            onChange={(dimensions) => change({ dimensions })}
          />
        </SimpleGrid>
        <Group gap="xs" align="end">
          <Dates from={settings.from} to={settings.to} onChange={change} />
          <Select
            label="Rows at most"
            data={rowChoices.map((count) => ({ value: String(count), label: count.toLocaleString() }))}
            value={String(settings.rows)}
            onChange={(rows) => rows && change({ rows: Number(rows) })}
            allowDeselect={false}
            flex="0 1 9rem"
          />
        </Group>
        <Filters
          fields={[...fields.dimensions.fields, ...fields.metrics.fields]}
          filters={settings.filters}
          onChange={(filters) => change({ filters })}
        />
        <Group gap="md" justify="space-between" className="report-run">
          <Cost settings={settings} isComplete={isComplete} />
          <Button onClick={onRun} loading={isRunning} disabled={!isComplete}>
            Run the report
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
