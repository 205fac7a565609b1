import type { ReactNode } from "react";
import { useProject } from "../state/use-project.ts";
import { useRole, useWho } from "../state/use-who.ts";
import { Notice } from "../ui/Notice.tsx";
import { Page } from "../ui/Page.tsx";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface EditorsOnlyProps {
  title: string;
  lead: string;
  /** What editors do here: "see and run tools". */
  action: string;
  /** What a viewer may use of the page. */
  forViewers?: ReactNode;
  children: ReactNode;
}

/** A page that a viewer cannot use. It tells a viewer which role is missing and who gives it. */
export function EditorsOnly({ title, lead, action, forViewers, children }: EditorsOnlyProps) {
  const who = useWho();
  const { may } = useRole(useProject());
  if (who.error) return <ProblemNotice problem={who.error} onRetry={() => void who.refetch()} />;
  if (!who.data || may("editor")) return children;
  return (
    <Page title={title} lead={lead}>
      <Notice tone="info">Editors {action}. Ask an admin of this project for the role Editor.</Notice>
      {forViewers}
    </Page>
  );
}
