import { Button } from "@mantine/core";
import type { SignalboxProblem } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { useProjectId } from "../state/call.ts";
import { Notice } from "../ui/Notice.tsx";
import { AppLink } from "./AppLink.tsx";

interface ProblemNoticeProps {
  problem: SignalboxProblem | null | undefined;
  onRetry?: () => void;
}

/** A refusal: its sentence, its remedy, and a button where one helps. */
export function ProblemNotice({ problem, onRetry }: ProblemNoticeProps) {
  const projectId = useProjectId();
  if (!problem) return null;
  return (
    <Notice tone="bad" action={actionFor(problem, projectId, onRetry)}>
      <div>{problem.detail}</div>
      {problem.remedy ? <div>{problem.remedy}</div> : null}
      {problem.errors.map(({ pointer, detail }) => (
        <div key={`${pointer} ${detail}`}>
          {pointer === "" ? "" : `${pointer.slice(1).replaceAll("/", " › ")}: `}
          {detail}
        </div>
      ))}
    </Notice>
  );
}

const isTemporary = (status: number): boolean => status === 0 || status === 429 || status >= 500;

function actionFor(problem: SignalboxProblem, projectId: string | null, onRetry?: () => void) {
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
  if (onRetry && isTemporary(problem.status)) {
    return (
      <Button onClick={onRetry} size="compact-sm" variant="default">
        Try again
      </Button>
    );
  }
  return null;
}
