import { useParams } from "@tanstack/react-router";

/** The project that the address names, or null on pages of the organization. */
export function useProjectId(): string | null {
  const params = useParams({ strict: false }) as { projectId?: string };
  return params.projectId ?? null;
}

/** The project's id on pages that stand under a project. */
export function useProject(): string {
  const projectId = useProjectId();
  if (projectId === null) throw new Error("This component needs a project in the address.");
  return projectId;
}
