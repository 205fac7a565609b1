import { Anchor, Group, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import type { Account } from "../../state/use-accounts.ts";
import { useBatch } from "../../state/use-batch.ts";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { CodeWords } from "../../ui/CodeWords.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { isSame } from "../tools/tool.ts";
import { ReportForm } from "./ReportForm.tsx";
import { useSaveAsTool } from "./SaveAsTool.tsx";
import { inputOf, type Settings, sourcesMax, titleOf } from "./settings.ts";
import { useFields } from "./use-fields.ts";
import { useReportRuns } from "./use-report-runs.ts";
import { useSettings } from "./use-settings.ts";

const Results = lazy(async () => ({ default: (await import("./Results.tsx")).Results }));

/** A report: what it asks, and the runs that the address names. */
export function Report({ accounts, canRun }: { accounts: Account[]; canRun: boolean }) {
  const { settings, change, properties } = useSettings(accounts, canRun);
  const [runIds] = useSearchState("runs");
  const fields = useFields(canRun ? settings.sources[0] : undefined);
  const ids = useMemo(() => runIds.split(",").filter(Boolean).slice(0, sourcesMax), [runIds]);
  const names = [...properties].flatMap(([account, list]) =>
    (list ?? []).map(({ value, label }) => `${account}:${value}=${label}`),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names, as one text, say when it answers differently.
  const labelOf = useCallback(
    (account: string, property: string, isOneAccount: boolean) => {
      const name = properties.get(account)?.find(({ value }) => value === property)?.label ?? property;
      const owner = accounts.find(({ connection_id }) => connection_id === account);
      return isOneAccount || owner === undefined ? name : `${name} · ${owner.label}`;
    },
    [names.join()],
  );
  const { results, runs, problem, isLoading, warnings } = useReportRuns(ids, labelOf);
  const isComplete =
    settings.metrics.length > 0 &&
    settings.sources.length > 0 &&
    settings.sources.every(({ account, property }) => account !== "" && property !== "");
  const run = useBatch("/latest/steps/{step_id}/run", {
    changes: ["/latest/runs/list", "/latest/limits/list"],
    onDone: (answers) =>
      change(settings, { runs: answers.map((each) => ("run_id" in each ? each.run_id : "")).join() }),
  });
  const start = () =>
    run.run(
      settings.sources.map((source) => ({
        step_id: "run_reports",
        connection_id: source.account,
        input: inputOf(settings, source),
      })),
    );
  const save = useSaveAsTool(settings, titleOf(settings, fields.nameOf), isComplete);
  const shown = (runs[0]?.params ?? {}) as Asked;
  const isOld = results !== null && isChanged(settings, runs);
  return (
    <>
      {canRun ? (
        <ReportForm
          accounts={accounts}
          properties={properties}
          fields={fields}
          settings={settings}
          onChange={(next) => change(next)}
          isComplete={isComplete}
          isRunning={run.isRunning}
          onRun={start}
        />
      ) : null}
      <ProblemNotice problem={run.problem} />
      {ids.length > 0 ? (
        <Section title="Result" lead={runs[0] ? <Ran runs={runs} /> : null} actions={canRun ? save.button : null}>
          {save.notice}
          <ProblemNotice problem={problem} />
          {isOld && canRun ? (
            <Notice tone="info">
              The settings have changed since. This is the result of what was run; run it again.
            </Notice>
          ) : null}
          {warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              <CodeWords text={warning} />
            </Notice>
          ))}
          {isLoading ? <Skeleton height={320} role="status" aria-label="Loading the result" /> : null}
          {results ? (
            <Suspense fallback={<Skeleton height={320} role="status" aria-label="Loading the result" />}>
              <Results
                results={results}
                metrics={shown.metrics ?? settings.metrics}
                dimensions={shown.dimensions ?? noDimensions}
                titleOf={(metrics) => titleOf(asRun(settings, runs, metrics), fields.nameOf)}
                nameOf={fields.nameOf}
              />
            </Suspense>
          ) : null}
        </Section>
      ) : canRun ? (
        <Group gap="sm">
          {save.button}
          <Text size="sm" c="dimmed">
            A saved report runs by itself, on a schedule, or for an agent.
          </Text>
          {save.notice}
        </Group>
      ) : null}
    </>
  );
}

const noDimensions: string[] = [];

interface Asked {
  metrics?: string[];
  dimensions?: string[];
  date_range?: { start_date: string; end_date: string };
}

/** The settings of what was run, which may be other than what is chosen now. */
function asRun(settings: Settings, runs: Runs, metrics: string[]): Settings {
  const { dimensions = noDimensions, date_range: dates } = (runs[0]?.params ?? {}) as Asked;
  const period = dates ? { from: dates.start_date, to: dates.end_date } : {};
  return { ...settings, ...period, dimensions, metrics };
}

type Runs = ReturnType<typeof useReportRuns>["runs"];

function isChanged(settings: Settings, runs: Runs): boolean {
  if (settings.sources.length !== runs.length) return true;
  return settings.sources.some((source, index) => {
    const run = runs[index];
    return run?.connection_id !== source.account || !isSame(run?.params, inputOf(settings, source));
  });
}

function Ran({ runs }: { runs: Runs }) {
  const projectId = useProject();
  const [first] = runs;
  return (
    <>
      Ran <Time at={first?.created_at} />.{" "}
      {runs.map((run, index) =>
        run ? (
          <Anchor
            key={run.run_id}
            component={AppLink}
            to={paths.run(projectId, run.run_id)}
            size="sm"
            mr="xs"
            underline="always"
          >
            {runs.length === 1 ? "See the run" : `Run ${index + 1}`}
          </Anchor>
        ) : null,
      )}
    </>
  );
}
