import type { Identity } from "../account.ts";
import type { ReportedLimit, System } from "../define.ts";
import type { Query, StepRequest } from "../work.ts";
import { deploymentFailure, resetOf, waitSecondsOf } from "./failure.ts";
import { deploymentPresentation } from "./presentation.ts";
import { deploymentPaths, groupOf, resourcesOf } from "./protocol/endpoints.ts";
import { isLimitedToken, listsEveryProject, projectFilters } from "./protocol/project-filters.ts";
import { resolve } from "./protocol/resolve-names.ts";
import { deploymentSignIn } from "./sign-in/sign-in.ts";

export const deployment: System<"deployment"> = {
  id: "deployment",
  title: deploymentPresentation.title,
  vendor: "Vercel",
  inSentence: "a deployment platform",
  guide: { page: "vercel", title: "Vercel" },
  words: [
    "vercel",
    "hosting",
    "deployments",
    "deploy",
    "build",
    "release",
    "website",
    "projects",
    "domains",
    "environment variables",
    "teams",
  ],
  signIn: deploymentSignIn,
  pathPrefix: deploymentPaths.prefix,
  // Not documented. The platform itself ends requests after a minute; this is half as much again.
  settlesWithinSeconds: 90,
  worksSecondsMax: 60,
  /** "attach team from the grant always": without it team records return 403 or 404. */
  complete(request, identity) {
    const query = request.query ?? {};
    const team = query.teamId === undefined && query.slug === undefined ? teamOf(identity) : null;
    const [projects, ...further] =
      isLimitedToken(identity) && listsEveryProject(request) ? projectFilters(identity) : [];
    // Above the platform's maximum there are several filters: the step that lists sends each of them.
    const filter = further.length === 0 ? projects : undefined;
    return team === null && filter === undefined ? request : { ...request, query: { ...query, ...team, ...filter } };
  },
  failure: deploymentFailure,
  /** Limits depend on the plan and on the group of endpoints; the system reports them with every answer. */
  demands: (request, origin, { identity }) => [
    { subject: subjectOf(request, origin, identity), name: groupOf(request), kind: "reported", max: null, amount: 1 },
  ],
  reportedLimits(answer, request, origin, identity): ReportedLimit[] {
    const remaining = Number(answer.headers["x-ratelimit-remaining"] ?? (answer.status === 429 ? 0 : Number.NaN));
    if (!Number.isInteger(remaining)) return [];
    const max = Number(answer.headers["x-ratelimit-limit"]);
    const isUsedUp = answer.status === 429;
    const resetsAt = resetOf(answer);
    return [
      {
        subject: subjectOf(request, origin, identity),
        name: groupOf(request),
        remaining: isUsedUp ? 0 : remaining,
        ...(Number.isInteger(max) && { max }),
        ...(isUsedUp ? { resetsInSeconds: waitSecondsOf(answer) } : resetsAt && { resetsAt }),
      },
    ];
  },
  policyKinds: { project: (id) => id },
  resources: resourcesOf,
  resolve,
};

/**
 * The caller and the team. The team alone would not do: any caller can write any team into a request, and the platform
 * then reports the caller's own limit.
 */
function subjectOf({ query = {} }: StepRequest, origin: string, { user_id, label }: Identity): string {
  const team = query.teamId ?? query.slug;
  return `deployment|${origin}|${user_id ?? label}${team === undefined ? "" : `|${team}`}`;
}

/** Of a token that is limited to projects, sometimes only the slug is known. */
const teamOf = ({ team_id: teamId, team_slug: slug }: Identity): Query | null =>
  teamId !== undefined ? { teamId } : slug !== undefined ? { slug } : null;
