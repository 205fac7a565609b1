import { readText, refusedCredentials, requireText } from "../../read-credentials.ts";
import type { Credentials } from "../../sign-in.ts";
import { projectsMax } from "./projects.ts";

export const deploymentCredentials: Credentials = {
  members: "`token`, and `team_id` or `team_slug` for a team, `project_id` for a token limited to projects",
  ways: ["token"],
  instead: "a `token`",
  read(given) {
    const teamId = readText(given, "team_id") ?? readText(given, "team_slug");
    const projectIds = readText(given, "project_id")
      ?.split(",")
      .filter((id) => id !== "");
    if (projectIds && projectIds.length > projectsMax) {
      throw refusedCredentials(
        "project_id",
        `names more than ${projectsMax} projects: use a token for the team`,
        "too_many",
      );
    }
    return {
      grant: { kind: "access token", token: requireText(given, "token", "access_token") },
      ...(teamId === undefined ? {} : { teamId }),
      ...(projectIds === undefined ? {} : { projectIds }),
    };
  },
  ofSandbox: ({ token, team_id }) => ({ token, team_id }),
};
