import { nearest } from "../../../kernel/nearest-names.ts";
import type { Identity } from "../../account.ts";
import { segment } from "../../paths.ts";
import { pageRowsIn } from "../../read-pages.ts";
import { StepFailed, send, type Work } from "../../work.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { isRecord, textIn } from "../protocol/platform-records.ts";

const namesMax = 100;

/**
 * What to say of a project that nothing matched: null if it exists. The platform's lists answer an unknown project with
 * no rows, like a project that has none.
 */
export function* explainProject(project: string, identity: Identity): Work<string | null> {
  if (isBeyond(project, identity)) {
    return `This account is limited to projects, and "${project}" is none of them, so nothing matches. ${yield* nearestProjects(project, identity)}`;
  }
  if (yield* exists(project)) return null;
  return `There is no project "${project}" that this account can see, so nothing matches. ${yield* nearestProjects(project, identity)}`;
}

/** False if not all of the account's projects are known. */
const isBeyond = (project: string, { projects, projects_total: total }: Identity): boolean =>
  projects?.length === total &&
  projects?.some(({ project_id: id, name }) => project === id || project === name) === false;

/** The names most like it, as a sentence. */
export function* nearestProjects(project: string, { projects }: Identity): Work<string> {
  // A token that is limited to projects may not list them.
  const known = projects?.map(({ name }) => name) ?? (yield* projectNames());
  const names = nearest(
    project,
    known.map((name) => ({ name })),
  );
  if (names.length > 0) return `The nearest names are: ${names.join(", ")}.`;
  return known.length > 0 ? `Its projects are: ${known.slice(0, 10).join(", ")}.` : "";
}

function* exists(project: string): Work<boolean> {
  try {
    yield* send(apiRequest("GET", `/v9/projects/${segment(project)}`));
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    // Whatever else went wrong says nothing about the name.
    return error.failure.code !== "not_found_there";
  }
}

function* projectNames(): Work<string[]> {
  try {
    const { body } = yield* send(apiRequest("GET", "/v9/projects", { query: { limit: namesMax } }));
    const rows = pageRowsIn(isRecord(body) ? body.projects : [], namesMax);
    return rows.flatMap((row) => textIn(row, "name") ?? []);
  } catch (error) {
    if (error instanceof StepFailed) return [];
    throw error;
  }
}
