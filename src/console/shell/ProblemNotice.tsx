import { Button } from "@mantine/core";
import type { FieldMistake } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { useProjectId } from "../state/use-project.ts";
import { Notice, type Tone } from "../ui/Notice.tsx";
import { AppLink } from "./AppLink.tsx";

/** The refusal of a call, or what a run or a step ended with. */
interface ShownProblem {
  code: string;
  detail: string;
  remedy?: string;
  status?: number;
  errors?: FieldMistake[];
}

interface ProblemNoticeProps {
  problem: ShownProblem | null | undefined;
  tone?: Tone;
  onRetry?: () => void;
}

/** A refusal: its sentence, its remedy, and a button where one helps. */
export function ProblemNotice({ problem, tone = "bad", onRetry }: ProblemNoticeProps) {
  const projectId = useProjectId();
  if (!problem) return null;
  return (
    <Notice tone={tone} action={actionFor(problem, projectId, onRetry)}>
      <div>{problem.detail}</div>
      {problem.remedy ? <div>{problem.remedy}</div> : null}
      {problem.errors?.map(({ pointer, detail }) => (
        <div key={`${pointer} ${detail}`}>
          {pointer === "" ? "" : `${placeOf(pointer)}: `}
          {detail}
        </div>
      ))}
    </Notice>
  );
}

/** `#/steps/0/input/method` as "steps › 1 › input › method": people count from one. */
const placeOf = (pointer: string): string =>
  pointer
    .replace(/^#?\//, "")
    .split("/")
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part))
    .join(" › ");

const isTemporary = (status: number): boolean => status === 0 || status === 429 || status >= 500;

function actionFor(problem: ShownProblem, projectId: string | null, onRetry?: () => void) {
  if (projectId !== null && problem.code === "needs_reconnect") {
    return (
      <Button component={AppLink} to={paths.integrations(projectId)} size="compact-sm" variant="default">
        Reconnect
      </Button>
    );
  }
  if (projectId !== null && (problem.code === "admin_required" || problem.code === "editor_required")) {
    return (
      <Button component={AppLink} to={paths.people(projectId)} size="compact-sm" variant="default">
        See who is an admin
      </Button>
    );
  }
  if (onRetry && problem.status !== undefined && isTemporary(problem.status)) {
    return (
      <Button onClick={onRetry} size="compact-sm" variant="default">
        Try again
      </Button>
    );
  }
  return null;
}
