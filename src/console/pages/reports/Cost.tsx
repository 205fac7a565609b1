import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { OutputOf } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useReads } from "../../state/use-read.ts";
import { asProblem } from "../../state/use-step-read.ts";
import { Notice } from "../../ui/Notice.tsx";
import { inputOf, type Settings } from "./settings.ts";

type Preview = Extract<OutputOf<"/latest/steps/{step_id}/run">, { request: unknown }>;

/** "Cost in tokens before running": a dry run for each source. It sends nothing. */
export function Cost({ settings, isComplete }: { settings: Settings; isComplete: boolean }) {
  const wanted = isComplete
    ? settings.sources.map((source) => ({
        step_id: "run_reports",
        connection_id: source.account,
        input: inputOf(settings, source),
        dry_run: true,
      }))
    : [];
  const [asked] = useDebouncedValue(JSON.stringify(wanted), 200);
  const reads = useReads("/latest/steps/{step_id}/run", JSON.parse(asked) as typeof wanted, { staleTime: 10_000 });
  const previews = reads.flatMap(({ data }) => (data ? [data as Preview] : []));
  const refused = reads.find(({ error }) => error)?.error ?? null;
  const problem = previews.find((preview) => preview.problem)?.problem;
  const denied = previews.find(({ policy }) => !policy.allowed)?.policy;
  if (refused) return <ProblemNotice problem={refused} />;
  if (problem) return <ProblemNotice problem={asProblem(problem)} />;
  if (denied) return <Notice tone="bad">The account's policy refuses this report: {denied.reason}</Notice>;
  if (!isComplete || previews.length === 0 || previews.length < reads.length) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {isComplete ? "Working out the cost …" : "Choose a property and at least one metric."}
      </Text>
    );
  }
  const tokens = previews.reduce((sum, { cost }) => sum + (cost.tokens ?? 0), 0);
  const left = leftOf(previews);
  return (
    <Text size="sm" role="status">
      Costs about{" "}
      <b>
        {tokens.toLocaleString()} {tokens === 1 ? "token" : "tokens"}
      </b>
      {left === null ? "" : `; ${left.toLocaleString()} are left this hour`}.
    </Text>
  );
}

/** What is left of the narrowest property. */
function leftOf(previews: readonly Preview[]): number | null {
  const found = previews.flatMap(({ limits }) =>
    limits.flatMap(({ name, left }) => (typeof left === "number" && isHourlyTokens(String(name)) ? [left] : [])),
  );
  return found.length === 0 ? null : Math.min(...found);
}

const isHourlyTokens = (name: string): boolean => name.includes("tokens per ") && name.endsWith("hour");
