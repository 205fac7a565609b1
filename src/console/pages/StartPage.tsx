import { Loader } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { paths } from "../paths.ts";
import { ProblemNotice } from "../shell/ProblemNotice.tsx";
import { lastProject } from "../state/last-project.ts";
import { useWho } from "../state/use-who.ts";

/** "/" leads to the home of the project that was open last, or to the list of projects. */
export function StartPage() {
  const { data: who, error, refetch } = useWho();
  const navigate = useNavigate();
  useEffect(() => {
    if (!who) return;
    const last = lastProject();
    const isStillThere = who.projects.some(({ project_id }) => project_id === last);
    const [first, ...others] = who.projects;
    const only = others.length === 0 ? first?.project_id : undefined;
    const target = last !== null && isStillThere ? last : only;
    void navigate({ to: target === undefined ? paths.projects : paths.home(target), replace: true } as never);
  }, [who, navigate]);
  if (error) return <ProblemNotice problem={error} onRetry={() => void refetch()} />;
  return <Loader role="status" aria-label="Opening your project" />;
}
