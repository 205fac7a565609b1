import * as z from "zod";
import { anyObject } from "../../../kernel/any-object.ts";
import { step } from "../../define.ts";
import { pathField, queryField, readTarget, type Target, targetOf } from "../../paths.ts";
import { allPages, listKey, pageCaps, pagesInput, refuseAfter, wantsAllPages } from "../../read-pages.ts";
import { type Done, send, type Work } from "../../work.ts";
import { endpointOptions } from "../options/endpoint-options.ts";
import { fieldOptions } from "../options/field-options.ts";
import { buildRequest, type MarketingCall } from "../protocol/build-request.ts";
import { effectOf, marketingPaths, pagingKindOf, warnUnpublished } from "../protocol/endpoints.ts";
import { readBack } from "../protocol/find-lost-write.ts";
import { createdLeads, writtenLeads } from "../protocol/lead-names.ts";
import { chooseRows, pagingOf, tokenIn } from "../protocol/paging.ts";
import { saysLeadExists, warningsOf } from "../protocol/rows.ts";
import { marketing } from "../system.ts";
import { checkCall } from "./check-call.ts";

const Input = z
  .strictObject({
    method: z.enum(["GET", "POST", "DELETE"]).meta({ title: "Method", description: "HTTP method of the call" }),
    endpoint: pathField(marketingPaths).meta({
      title: "Endpoint",
      description:
        "Path from the instance's address on, such as `/rest/v1/leads.json` or `/rest/asset/v1/programs.json`. It may carry a query.",
    }),
    query_parameters: queryField(marketingPaths).optional().meta({
      title: "Query parameters",
      description: "Merged with the endpoint's query, and stronger than it. Lists are sent as the system takes them.",
    }),
    fields: z
      .array(
        z
          .string()
          .regex(/^[\x21-\x2b\x2d-\x7e]{1,255}$/, { error: "One REST name of a field each, such as `leadScore`." }),
      )
      .min(1)
      .max(1000)
      .optional()
      .meta({
        title: "Fields of leads",
        description:
          "For GET: which fields to return, custom ones included, by the REST names that the instance describes. Added to the query's `fields`.",
      }),
    body: anyObject().optional().meta({
      title: "Body",
      description:
        "For POST. Sent as JSON, or as a form where the endpoint is one of the Asset API. At most 300 rows in `input`.",
    }),
    ...pagesInput,
  })
  .superRefine((input, context) => {
    const read = readTarget(input.endpoint, marketingPaths);
    if (typeof read === "string") return;
    const target: Target = { path: read.path, query: { ...read.query, ...input.query_parameters } };
    for (const { path, message } of checkCall({ method: input.method, target, body: input.body })) {
      context.addIssue({ code: "custom", path, message });
    }
    if (input.fields !== undefined && input.method !== "GET") {
      context.addIssue({
        code: "custom",
        path: ["fields"],
        message: "Only a GET returns fields: leave `fields` out.",
      });
    }
    if (wantsAllPages(input) && input.method !== "GET") {
      context.addIssue({
        code: "custom",
        path: ["all_pages"],
        message: "Only a GET has pages: leave `all_pages` out.",
      });
    }
    const refusal = input.after === undefined ? null : refuseAfter(input.after, listKey(target));
    if (refusal !== null) context.addIssue({ code: "custom", path: ["after"], message: refusal });
  });

type CallInput = z.output<typeof Input>;

const Output = z.object({
  status: z.int().optional().meta({ description: "HTTP status of the response" }),
  body: z
    .unknown()
    .optional()
    .meta({ description: "The system's own response: `result`, `requestId`, `nextPageToken` and so on" }),
  items: z.array(z.unknown()).optional().meta({ description: "With `all_pages`: the rows of all pages" }),
  pages: z.int().optional().meta({ description: "With `all_pages`: how many pages were read" }),
  next_page_token: z.string().nullable().optional().meta({
    description: "With `all_pages`: give it as `after` to continue; null when everything was read",
  }),
  newest_token: z.string().optional().meta({
    description: "With `all_pages` of activities: give it as `nextPageToken` another day to read only what is new",
  }),
});

export const marketingApiCall = step({
  id: "marketing_api_call",
  title: "Marketing API Call",
  summary:
    "Calls any endpoint of the marketing automation system: leads, campaigns, e-mail programs, statistics, static lists.",
  forModels:
    "Sends one request to the marketing automation system (Marketo REST) with the connection's sign-in, and returns its JSON. " +
    "Endpoints begin with /rest/v1/ (leads, lists, campaigns, activities) or /rest/asset/v1/ (programs, e-mails, landing pages). " +
    "Set all_pages for complete lists instead of paging by hand. Rows that the system skipped are in the warnings, by index: read them. " +
    "Triggering or scheduling a campaign sends e-mail to real people and cannot be undone; never repeat it when its outcome is unknown.",
  words: [
    "marketo",
    "leads",
    "contacts",
    "subscribers",
    "campaign",
    "trigger campaign",
    "schedule campaign",
    "email program",
    "newsletter",
    "static list",
    "segment",
    "bounces",
    "opens",
    "statistics",
    "activities",
    "approve email",
    "custom api request",
  ],
  system: marketing,
  effect: "send",
  effectOf: (input) => effectOf(input.method, callOf(input).target.path, input.body).effect,
  needsLevel: null,
  input: Input,
  output: Output,
  examples: [
    {
      title: "Find a lead by e-mail",
      input: {
        method: "GET",
        endpoint: "/rest/v1/leads.json",
        query_parameters: { filterType: "email", filterValues: "hana.rossi.20@mail.example.com" },
      },
    },
    {
      title: "Create or update leads",
      input: {
        method: "POST",
        endpoint: "/rest/v1/leads.json",
        body: {
          action: "createOrUpdate",
          lookupField: "email",
          input: [{ email: "ada@example.com", firstName: "Ada" }],
        },
      },
    },
    {
      title: "All members of a static list",
      input: { method: "GET", endpoint: "/rest/v1/lists/1001/leads.json", all_pages: true },
    },
    {
      title: "Trigger a campaign for one lead",
      input: {
        method: "POST",
        endpoint: "/rest/v1/campaigns/3001/trigger.json",
        body: { input: { leads: [{ id: 1020 }] } },
      },
    },
    {
      title: "All e-mail programs",
      input: { method: "GET", endpoint: "/rest/asset/v1/programs.json?type=email", all_pages: true },
    },
  ],
  options: { endpoint: endpointOptions, fields: fieldOptions },
  warningsOf: (input) => warnUnpublished(callOf(input).target.path),
  *work(input) {
    const asked = callOf(input);
    const unpublished = warnUnpublished(asked.target.path);
    if (wantsAllPages(input)) {
      const read = yield* readAll(asked.target, input);
      return { ...read, warnings: [...unpublished, ...(read.warnings ?? [])] };
    }
    const call = needsToken(asked) ? { ...asked, target: yield* withFirstToken(asked.target) } : asked;
    const answer = yield* send(buildRequest(call));
    const { body, leftOut } = chooseRows(call.target, answer);
    const said = leftOut > 0 ? [`${leftOut} programs of other types on this page were left out.`] : [];
    return { output: { status: answer.status, body }, warnings: [...unpublished, ...warningsOf(answer), ...said] };
  },
  ambiguousNames: (input) => createdLeads(callOf(input)),
  writtenNames: (input) => writtenLeads(callOf(input)),
  saysPresent: ({ body }) => saysLeadExists(body),
  *reconcile(input, context) {
    return yield* readBack(callOf(input), context);
  },
  cost(input) {
    if (!wantsAllPages(input)) return { calls: needsToken(callOf(input)) ? 2 : 1 };
    const calls = Math.ceil(maxItemsOf(input) / (pagingKindOf(callOf(input).target.path) === "assets" ? 200 : 300));
    return { calls, note: `At most ${calls} calls, unless pages come back half empty.` };
  },
});

const maxItemsOf = (input: CallInput): number => input.max_items ?? pageCaps.itemsDefault;

function callOf({ method, endpoint, query_parameters: query, fields, body }: CallInput): MarketingCall {
  const target = targetOf(endpoint, query, marketingPaths);
  if (fields === undefined) return { method, target, body };
  const named = [target.query.fields ?? []].flat().flatMap((each) => String(each).split(","));
  const all = [...new Set([...named, ...fields])].filter((name) => name !== "").join(",");
  return { method, target: { ...target, query: { ...target.query, fields: all } }, body };
}

/** A time to start from, where the system takes only a token. */
const needsToken = ({ method, target: { path, query } }: MarketingCall): boolean =>
  method === "GET" &&
  query.sinceDatetime !== undefined &&
  query.nextPageToken === undefined &&
  /^\/rest\/v1\/activities(?:\/(?:leadchanges|deletedleads))?\.json$/.test(path);

function* readAll(target: Target, input: CallInput): Work<Done<z.input<typeof Output>>> {
  const isActivities = pagingKindOf(target.path) === "activities";
  const from = isActivities ? yield* withFirstToken(target) : target;
  const paging = pagingOf(from, maxItemsOf(input));
  let newest: string | null = null;
  const read: typeof paging.read = (answer, cursor) => {
    newest = tokenIn(answer.body);
    return paging.read(answer, cursor);
  };
  const wish = { of: listKey(target), maxItems: maxItemsOf(input), after: input.after };
  const { items, pages, next, warnings } = yield* allPages({ ...paging, read }, wish);
  const newestToken = isActivities && next === null ? newest : null;
  const output = { items, pages, next_page_token: next, ...(newestToken !== null && { newest_token: newestToken }) };
  return { output, warnings };
}

/** Reading activities starts with a token for a time: if the caller gives the time, the token is fetched first. */
function* withFirstToken(target: Target): Work<Target> {
  const { sinceDatetime, ...query } = target.query;
  if (query.nextPageToken !== undefined || sinceDatetime === undefined) return target;
  const first = { path: "/rest/v1/activities/pagingtoken.json", query: { sinceDatetime } };
  const { body } = yield* send(buildRequest({ method: "GET", target: first }));
  return { path: target.path, query: { ...query, nextPageToken: tokenIn(body) ?? "" } };
}
