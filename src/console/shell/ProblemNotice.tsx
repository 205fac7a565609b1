import { Button } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import type { FieldMistake } from "../../client/problem.ts";
import { paths } from "../paths.ts";
import { useProjectId } from "../state/use-project.ts";
import { breadcrumbOf } from "../ui/breadcrumb.ts";
import { CodeWords } from "../ui/CodeWords.tsx";
import { lazyWhenIdle } from "../ui/lazy-when-idle.ts";
import { Notice, type Tone } from "../ui/Notice.tsx";
import { AppLink } from "./AppLink.tsx";

/** Until they are loaded, or where the network is gone before, the API's own words serve. */
const Remedy = lazyWhenIdle(async () =>
  import("./Remedy.tsx").then(
    (file) => file.Remedy,
    () => AsItIs,
  ),
);
const AsItIs = ({ remedy }: { code: string; remedy: string }) => <div>{remedy}</div>;

/** The refusal of a call, or what a run or a step ended with. */
interface ShownProblem {
  code: string;
  detail: string;
  remedy?: string;
  status?: number;
  errors?: FieldMistake[];
  /** The account whose fault it is. A refusal of a call has it in its body. */
  connection_id?: string | undefined;
  body?: Readonly<Record<string, unknown>>;
}

interface ProblemNoticeProps {
  problem: ShownProblem | null | undefined;
  tone?: Tone;
  onRetry?: () => void;
  /** The button that helps with a code, where that is more than a page to open. */
  buttons?: Readonly<Record<string, ReactNode>>;
}

/** A refusal: its sentence, its remedy, and a button where one helps. */
export function ProblemNotice({ problem, tone = "bad", onRetry, buttons }: ProblemNoticeProps) {
  const projectId = useProjectId();
  if (!problem) return null;
  return (
    <Notice tone={tone} action={buttons?.[problem.code] ?? actionFor(problem, projectId, onRetry)}>
      <div>
        <CodeWords text={problem.detail} />
      </div>
      {problem.remedy ? (
        <Suspense fallback={<AsItIs code={problem.code} remedy={problem.remedy} />}>
          <Remedy code={problem.code} remedy={problem.remedy} />
        </Suspense>
      ) : null}
      {problem.errors?.map(({ pointer, detail }) => (
        <div key={`${pointer} ${detail}`}>
          {pointer === "" ? "" : `${breadcrumbOf(pointer)}: `}
          <CodeWords text={detail} />
        </div>
      ))}
    </Notice>
  );
}

const isTemporary = (status: number): boolean => status === 0 || status === 429 || status >= 500;

function actionFor(problem: ShownProblem, projectId: string | null, onRetry?: () => void) {
  const way = wayOn(problem, projectId);
  if (way) {
    return (
      <Button component={AppLink} to={way.to} size="compact-sm" variant="default">
        {way.label}
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

/** The page that helps, where one does. */
function wayOn(problem: ShownProblem, projectId: string | null): { label: string; to: string } | null {
  const { code } = problem;
  if (code === "project_not_found") return { label: "Go to projects", to: paths.projects };
  if (projectId === null) return null;
  switch (code) {
    case "needs_reconnect":
    case "connection_removed": {
      const account = accountOf(problem);
      return { label: "Reconnect", to: account ? paths.connect(projectId, account) : paths.integrations(projectId) };
    }
    case "admin_required":
    case "editor_required":
    case "owner_not_allowed":
      return { label: "See who is an admin", to: paths.people(projectId) };
    case "outcome_unknown":
      return { label: "Open the inbox", to: paths.inbox(projectId) };
    case "quota_exhausted":
      return { label: "See the limits", to: paths.limits(projectId) };
    default:
      return null;
  }
}

function accountOf({ connection_id, body }: ShownProblem): string | null {
  const id = connection_id ?? body?.connection_id;
  return typeof id === "string" ? id : null;
}
