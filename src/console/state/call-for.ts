import { type Call, createCaller } from "../../client/caller.ts";
import { takeEarly } from "./early-read.ts";
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
