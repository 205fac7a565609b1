import * as z from "zod";
import { anyObject } from "../../../kernel/any-object.ts";
import type { Identity } from "../../account.ts";
import { step } from "../../define.ts";
import { failed } from "../../fail-step.ts";
import { pathField, queryField, readTarget, targetOf } from "../../paths.ts";
import { allPages, listKey, pageCaps, pagesInput, refuseAfter, wantsAllPages } from "../../read-pages.ts";
import { type Answer, type Done, StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { pathOptions } from "../options/known-endpoints.ts";
import { teamOptions } from "../options/options.ts";
import { pagingOf } from "../protocol/api-paging.ts";
import { deploymentPaths, effectOf, isAboutVariables } from "../protocol/endpoints.ts";
import { readBack } from "../protocol/find-lost-write.ts";
import { headersField, headersOf, shownHeaders } from "../protocol/headers.ts";
import { listsEveryProject, projectFilters } from "../protocol/project-filters.ts";
import { ambiguousNames, writtenNames } from "../protocol/variable-names.ts";
import { deployment } from "../system.ts";
import { warningsOf } from "./warnings.ts";

const Input = z
  .strictObject({
    method: z
      .enum(["GET", "POST", "PUT", "DELETE", "PATCH"])
      .meta({ title: "Method", description: "HTTP method of the call" }),
    path: pathField(deploymentPaths).meta({
      title: "Path",
      description: "With its own version, such as `/v13/deployments` or `/v9/projects/{id}`. It may carry a query.",
    }),
    query: queryField(deploymentPaths).optional().meta({
      title: "Query",
      description:
        "Merged with the path's query, and stronger than it. The team is added by itself, unless `teamId` or `slug` is given.",
    }),
    body: z
      .union([anyObject(), z.array(z.unknown())])
      .optional()
      .meta({ title: "Body", description: "Sent as JSON" }),
    headers: headersField
      .optional()
      .meta({ title: "Headers", description: "Headers of your own; sign-in and address are applied by themselves" }),
    ...pagesInput,
  })
  .superRefine((input, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (input.method === "GET" && input.body !== undefined)
      refuse("body", "A GET has no body: put its parameters into `query`.");
    if (wantsAllPages(input) && input.method !== "GET")
      refuse("all_pages", "Only a GET has pages: leave `all_pages` out.");
    if (input.after === undefined) return;
    const read = readTarget(input.path, deploymentPaths);
    if (typeof read === "string") return;
    const refusal = refuseAfter(input.after, listKey({ path: read.path, query: { ...read.query, ...input.query } }));
    if (refusal !== null) refuse("after", refusal);
  });

type CallInput = z.output<typeof Input>;

const Output = z.object({
  status: z.int().optional().meta({ description: "HTTP status of the response" }),
  headers: z.record(z.string(), z.string()).optional().meta({
    description: "Headers of the response, names in lower case; `x-ratelimit-remaining` says what is left",
  }),
  body: z.unknown().optional().meta({ description: "The platform's own response" }),
  items: z.array(z.unknown()).optional().meta({ description: "With `all_pages`: the records of all pages" }),
  pages: z.int().optional().meta({ description: "With `all_pages`: how many pages were read" }),
  next: z.string().nullable().optional().meta({
    description: "With `all_pages`: give it as `after` to continue; null when everything was read",
  }),
});

export const deploymentApiCall = step({
  id: "deployment_api_call",
  title: "Deployment Platform API Call",
  summary:
    "Calls any endpoint of the deployment platform: deployments, projects, domains, environment variables, teams.",
  forModels:
    "Sends one request to the deployment platform (Vercel REST) with the connection's sign-in and team, and returns status, headers and JSON. " +
    "Every path carries its own version: /v6/deployments (list), /v13/deployments (read, create, delete), /v9 and /v10 projects, /v5/domains, /v2/teams. " +
    "Prefer create_deployment, list_deployments and cancel_deployment for those tasks. Set all_pages for complete lists. " +
    "New values of environment variables take effect only in deployments created afterwards.",
  words: [
    "vercel",
    "project",
    "domain",
    "environment variable",
    "env",
    "team",
    "members",
    "delete deployment",
    "webhook",
    "build log",
    "custom api request",
  ],
  system: deployment,
  effect: "delete",
  effectOf: (input) => requestOf(input).effect,
  hides: (input) => requestOf(input).hides ?? [],
  needsLevel: null,
  input: Input,
  output: Output,
  examples: [
    { title: "Read a project", input: { method: "GET", path: "/v9/projects/web" } },
    { title: "All projects", input: { method: "GET", path: "/v9/projects", all_pages: true } },
    {
      title: "Create a variable for previews",
      input: {
        method: "POST",
        path: "/v10/projects/web/env",
        query: { upsert: true },
        body: { key: "FEATURE_SEARCH", value: "on", type: "plain", target: ["preview"] },
      },
    },
    {
      title: "Failed deployments, at most 50 of them",
      input: { method: "GET", path: "/v6/deployments?state=ERROR", all_pages: true, max_items: 50 },
    },
  ],
  options: { path: pathOptions, "query.teamId": teamOptions },
  *work(input, { identity }) {
    refuseTooManyProjects(requestOf(input), identity);
    if (wantsAllPages(input)) return yield* readAll(input);
    const answer = yield* send(requestOf(input));
    return { output: shown(answer), warnings: warningsOf(answer) };
  },
  ambiguousNames: (input, identity) => ambiguousNames(requestOf(input), identity),
  writtenNames: (input, identity) => writtenNames(requestOf(input), identity),
  *reconcile(input, context) {
    const found = yield* readBack(requestOf(input), context);
    return typeof found === "string" ? found : { ...found, output: shown(found.output) };
  },
  // "Rate limit status is reported in response headers", and a refusal is where it matters.
  refusedOutput: (answer) => shown(answer),
  cost(input) {
    if (!wantsAllPages(input)) return { calls: 1 };
    const calls = Math.ceil((input.max_items ?? pageCaps.itemsDefault) / 100);
    return { calls, note: `At most ${calls} calls.` };
  },
});

/** Above the platform's maximum, no single request lists the deployments of all projects that a token is limited to. */
function refuseTooManyProjects(request: StepRequest, identity: Identity): void {
  const groups = listsEveryProject(request) ? projectFilters(identity) : [];
  if (groups.length < 2) return;
  const detail = `This account is limited to ${identity.projects?.length} projects, and the platform lists the deployments of at most 20 in one request.`;
  const remedy =
    "Name some of them with `projectId` or `projectIds`, or use List Deployments, which lists all of them.";
  throw new StepFailed(failed("invalid_there", "give up", detail, { remedy }), null);
}

const shown = ({ status, headers, body }: Pick<Answer, "status" | "headers" | "body">) => ({
  status,
  headers: shownHeaders(headers),
  body,
});

const made = new WeakMap<CallInput, StepRequest>();

/** A run asks for it four times: for its effect, twice for what it hides, and to send it. */
function requestOf(input: CallInput): StepRequest {
  let request = made.get(input);
  if (request === undefined) {
    request = toRequest(input);
    made.set(input, request);
  }
  return request;
}

function toRequest({ method, path, query, body, headers }: CallInput): StepRequest {
  const target = targetOf(path, query, deploymentPaths);
  return {
    method,
    api: "main",
    ...target,
    ...(headers && { headers: headersOf(headers) }),
    ...(body !== undefined && { body }),
    ...(isAboutVariables(target.path) && { hides: ["value"] }),
    ...effectOf(method, target.path, target.query),
  };
}

function* readAll(input: CallInput): Work<Done<z.input<typeof Output>>> {
  const target = targetOf(input.path, input.query, deploymentPaths);
  const maxItems = input.max_items ?? pageCaps.itemsDefault;
  const paging = pagingOf(target, headersOf(input.headers ?? {}), maxItems);
  const wish = { of: listKey(target), maxItems, after: input.after };
  const { items, pages, next, warnings } = yield* allPages(paging, wish);
  return { output: { items, pages, next }, warnings };
}
