import * as z from "zod";
import type { Identity } from "../../account.ts";
import { step } from "../../define.ts";
import { allPages, type Paged, type Paging, pageRowsIn } from "../../read-pages.ts";
import { flatMapInSlices, type Query, type Work } from "../../work.ts";
import { branchOptions, projectOptions } from "../options/options.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { branchOf, commitOf, createdOf, idOf, isRecord, readDeployment } from "../protocol/platform-records.ts";
import { projectFilters } from "../protocol/project-filters.ts";
import { deployment } from "../system.ts";
import { commitField, Deployment, momentField, projectField, readMoment, states } from "./fields.ts";
import { explainProject } from "./unknown-project.ts";

const limitDefault = 100;
const limitMax = 10_000;
const pageMax = 100;

const statesIn = (state: string | readonly string[]): string[] =>
  [state].flat().flatMap((text) => text.split(",").map((one) => one.trim().toUpperCase()));

const stateText = z.string().max(1_000);
const StateFilter = z.union([stateText, z.array(stateText).min(1).max(100)]).superRefine((state, context) => {
  const unknown = statesIn(state).find((one) => !(states as readonly string[]).includes(one));
  if (unknown === undefined) return;
  context.addIssue({ code: "custom", message: `There is no state "${unknown}": choose of ${states.join(", ")}.` });
});

const Input = z
  .strictObject({
    project: projectField.optional(),
    environment: z.enum(["production", "preview", "development"]).optional().meta({
      title: "Environment",
      description: "Only `production` or only `preview`; the platform has no deployments for `development`",
    }),
    state: StateFilter.optional().meta({
      title: "State",
      description: `One or several of ${states.join(", ")}`,
      examples: ["READY", ["QUEUED", "BUILDING"]],
    }),
    branch: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .meta({ title: "Branch", description: "Only deployments of this branch" }),
    commit_sha: commitField.optional().meta({ title: "Commit", description: "Only deployments of this commit" }),
    creator: z.string().trim().min(1).max(1000).optional().meta({
      title: "Creator",
      description: "Only deployments of these people: user ids, with commas between them",
    }),
    since: momentField
      .optional()
      .meta({ title: "Since", description: "Created after this time: RFC 3339, a day, or milliseconds" }),
    until: momentField
      .optional()
      .meta({ title: "Until", description: "Created before this time: RFC 3339, a day, or milliseconds" }),
    limit: z
      .int()
      .min(1)
      .max(limitMax)
      .optional()
      .meta({
        title: "At most so many",
        description: `As many pages as that takes are read. Default: ${limitDefault}.`,
      }),
  })
  .superRefine(({ since, until }, context) => {
    const [from, to] = [since, until].map((moment) => (moment === undefined ? null : readMoment(moment)));
    if (from == null || to == null || from < to) return;
    context.addIssue({ code: "custom", path: ["until"], message: "`until` must be later than `since`." });
  });

type Filter = z.output<typeof Input>;

const Output = z.object({
  deployments: z
    .array(
      Deployment.extend({
        branch: z.string().nullable().meta({ description: "Branch it was made from; null without a repository" }),
        creator: z.string().nullable().meta({ description: "Who created it" }),
      }),
    )
    .meta({ description: "Newest first" }),
});

export const listDeployments = step({
  id: "list_deployments",
  title: "List Deployments",
  summary: "Lists deployments, newest first, filtered by project, environment, state, branch and time.",
  forModels:
    "Finds deployments of the connected account or team. All filters may be combined; without any, the newest of all projects are listed. " +
    "Use it to learn deployment ids and states before redeploying or cancelling. It reads as many pages as limit asks for (default: 100).",
  words: ["show deployments", "history", "releases", "builds", "status", "what is live", "latest deployment", "vercel"],
  system: deployment,
  effect: "read",
  needsLevel: null,
  input: Input,
  output: Output,
  examples: [
    { title: "The newest deployments", input: { limit: 5 } },
    { title: "What went live of one project", input: { project: "web", environment: "production", state: "READY" } },
    { title: "Previews of a branch", input: { project: "web", environment: "preview", branch: "feature/checkout" } },
    {
      title: "Everything that failed since spring",
      input: { state: ["ERROR", "CANCELED"], since: "2026-03-01T00:00:00Z" },
    },
  ],
  options: { project: projectOptions, branch: branchOptions },
  *work(filter, { identity }) {
    const read = yield* readList(filter, identity);
    const isUnseen = filter.project !== undefined && read.items.length === 0 && !read.failure;
    const unknown = isUnseen ? yield* explainProject(filter.project ?? "", identity) : null;
    const warnings = unknown === null ? warningsOf(read, filter.limit) : [unknown];
    const deployments = yield* flatMapInSlices(read.items, (record) => [readDeployment(record)]);
    return { output: { deployments }, warnings };
  },
  cost: ({ limit = limitDefault }) => ({ calls: Math.ceil(limit / pageMax) }),
});

function warningsOf({ items, next, failure }: Listed, limit: number | undefined): string[] {
  if (failure) return [`These are not all: after ${items.length} the reading ended early. ${failure.message}`];
  const isCut = next !== null && (limit === undefined || items.length < limit);
  return isCut ? [`There are more than these ${items.length}: raise \`limit\`, or narrow the filters.`] : [];
}

type Listed = Pick<Paged, "items" | "next" | "failure">;

/** A token for more projects than one request may name needs several lists, which become one again here. */
function* readList(filter: Filter, identity: Identity): Work<Listed> {
  const maxItems = filter.limit ?? limitDefault;
  const filters = filter.project === undefined ? projectFilters(identity) : [{}];
  const lists: Paged[] = [];
  for (const each of filters) {
    const list = yield* allPages(pagingOf(filter, each, maxItems), { of: "/v6/deployments", maxItems });
    lists.push(list);
    if (list.failure) break;
  }
  const [only] = lists;
  if (filters.length === 1 && only) return only;
  const items = lists.flatMap((list) => list.items).toSorted((a, b) => createdOf(b) - createdOf(a));
  const more = lists.find(({ next }) => next !== null)?.next ?? (items.length > maxItems ? "" : null);
  const failure = lists.find((list) => list.failure)?.failure ?? null;
  return { items: items.slice(0, maxItems), next: more, failure };
}

function pagingOf(filter: Filter, projects: Query, limit: number): Paging {
  const query = { ...queryOf(filter), ...projects, limit: Math.min(pageMax, limit) };
  return {
    request: (cursor) =>
      apiRequest("GET", "/v6/deployments", { query: cursor === null ? query : { ...query, until: cursor } }),
    read({ body }) {
      const records = pageRowsIn(isRecord(body) ? body.deployments : [], pageMax);
      const next = isRecord(body) && isRecord(body.pagination) ? body.pagination.next : null;
      return { items: records.filter(isWanted(filter)), next: next == null ? null : String(next) };
    },
    idOf,
  };
}

function queryOf({ project, environment, state, branch, commit_sha: sha, creator, since, until }: Filter): Query {
  return {
    ...(project !== undefined && { projectId: project }),
    ...(environment && { target: environment }),
    ...(state !== undefined && { state: statesIn(state).join(",") }),
    ...(branch !== undefined && { branch }),
    // The platform compares whole hashes; a shorter one is matched here.
    ...(sha?.length === 40 && { sha: sha.toLowerCase() }),
    ...(creator !== undefined && { users: creator }),
    ...(since !== undefined && { since: readMoment(since) ?? 0 }),
    ...(until !== undefined && { until: readMoment(until) ?? 0 }),
  };
}

/** Some filters are newer than the endpoint: if it ignores them, the rows are filtered here. */
function isWanted({ environment, branch, commit_sha: sha }: Filter): (record: unknown) => boolean {
  return (record) =>
    (environment === undefined || readDeployment(record).environment === environment) &&
    (branch === undefined || branchOf(record) === branch) &&
    (sha === undefined || (commitOf(record)?.startsWith(sha.toLowerCase()) ?? false));
}
