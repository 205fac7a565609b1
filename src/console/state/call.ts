import { useParams } from "@tanstack/react-router";
import { type Call, createCaller } from "../../client/caller.ts";
import { takeEarly } from "./early.ts";
import { noteAttempt } from "./network.ts";

const callers = new Map<string, Call>();

/** The caller for one project. The session cookie says who calls; a header names the project. Null: no project. */
export function callFor(projectId: string | null): Call {
  const key = projectId ?? "";
  const known = callers.get(key);
  if (known) return known;
  const headers: Record<string, string> = projectId === null ? {} : { "x-signalbox-project": projectId };
  const made = createCaller({
    baseUrl: "",
    headers: () => headers,
    onAttempt: noteAttempt,
    ...(projectId === null ? { underWay: takeEarly } : {}),
  });
  callers.set(key, made);
  return made;
}

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
