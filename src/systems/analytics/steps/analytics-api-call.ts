import { createHash } from "node:crypto";
import * as z from "zod";
import { anyObject } from "../../../kernel/any-object.ts";
import { canonicalJson } from "../../../kernel/strict-json.ts";
import { step } from "../../define.ts";
import { type PathRules, pathField, queryField, targetOf } from "../../paths.ts";
import { allPages, pageCaps, pagesInput, refuseAfter, wantsAllPages } from "../../read-pages.ts";
import { methods, type StepRequest, send } from "../../work.ts";
import { tokensOf } from "../limits/quota.ts";
import { knownEndpoints } from "../options/known-endpoints.ts";
import { listed } from "../options/options.ts";
import { apiOf, decoded, effectOf, isIdempotent, pathPrefix } from "../protocol/endpoints.ts";
import { readBack } from "../protocol/find-lost-write.ts";
import { pagingOf } from "../protocol/request-paging.ts";
import { memberOf, membersOf } from "../protocol/vendor-json.ts";
import { writtenNames } from "../protocol/written-names.ts";
import { analytics } from "../system.ts";

const signed = "the connection signs the call.";
const json = "responses are JSON.";
const named = "method and headers are the step's.";

/** The system treats some query names as instructions to itself, with a `$` before them or without. */
const orders: Record<string, string> = {
  access_token: signed,
  oauth_token: signed,
  key: signed,
  callback: json,
  alt: json,
  uploadtype: json,
  upload_protocol: json,
  httpmethod: named,
  httpheaders: named,
};

const rules: PathRules = {
  leadingSlash: false,
  prefix: pathPrefix,
  example: "v1beta/properties/1000:runReport",
  reserved: Object.fromEntries(
    Object.entries(orders).flatMap(([name, why]) => [
      [name, why],
      [`$${name}`, why],
    ]),
  ),
};

const fields = z.strictObject({
  method: z.enum(methods).meta({ title: "Method", description: "The HTTP method." }),
  endpoint: pathField(rules).meta({
    title: "Endpoint",
    description:
      "The path without a leading slash, such as `v1beta/properties/1000:runReport`; it may carry a query. Whether it belongs to the Data API or the Admin API is known from it.",
  }),
  query: queryField(rules)
    .optional()
    .meta({ title: "Query", description: "Query parameters, such as `pageSize` or `updateMask`." }),
  body: anyObject().optional().meta({
    title: "Body",
    description:
      "A JSON object, for `POST`, `PUT` and `PATCH`. A new key event needs `eventName` and `countingMethod`.",
  }),
  ...pagesInput,
});

type Call = z.output<typeof fields>;

const input = fields.superRefine((call, context) => {
  const refuse = (member: keyof Call, message: string) => context.addIssue({ code: "custom", path: [member], message });
  if (call.body !== undefined && ["GET", "HEAD", "OPTIONS"].includes(call.method))
    refuse("body", `A ${call.method} has no body: use \`query\`.`);
  // A wrong endpoint was reported already, together with a wrong query.
  if (!fields.shape.endpoint.safeParse(call.endpoint).success) return;
  const request = requestOf(call);
  if (!wantsAllPages(call)) return;
  if (!pagingOf(request)) refuse("all_pages", "Only lists (GET) and reports (POST …:runReport) have pages.");
  const refusal = call.after === undefined ? null : refuseAfter(call.after, tokenOf(request));
  if (refusal) refuse("after", refusal);
});

const output = z.object({
  status: z.int().optional().meta({ title: "Status", description: "The HTTP status." }),
  body: z.unknown().optional().meta({ title: "Body", description: "The system's response, unchanged." }),
  items: z.array(z.unknown()).optional().meta({
    title: "Items",
    description: "With `all_pages`: the records of the list, or the rows of the report.",
  }),
  pages: z.int().optional().meta({ title: "Pages", description: "With `all_pages`: how many were read." }),
  next: z
    .string()
    .nullable()
    .optional()
    .meta({ title: "Next", description: "With `all_pages`: give it as `after` to continue; null at the end." }),
});

function requestOf({ method, endpoint, query, body }: Call): StepRequest {
  const target = targetOf(endpoint, query, rules);
  const isIncomplete = lacksCountingMethod(method, target.path, body);
  return {
    method,
    api: apiOf(target.path),
    path: target.path,
    ...(Object.keys(target.query).length > 0 ? { query: target.query } : {}),
    ...(body === undefined ? {} : { body: isIncomplete ? { ...body, ...countingMethodAdded } : body }),
    effect: effectOf(method, target.path),
    idempotent: isIdempotent(method, target.path),
  };
}

/**
 * The body of a new key event is "`eventName` (string)". The vendor's schema says "countingMethod: Required", and refuses a key event
 * without one: what its own pages choose is added.
 */
const countingMethodAdded = { countingMethod: "ONCE_PER_EVENT" };
const countingMethodWarning =
  "The body has no `countingMethod`, which the system requires for a key event: `ONCE_PER_EVENT` is sent with it. `ONCE_PER_SESSION` counts once in a session.";

const warningsOf = ({ method, endpoint, query, body }: Call): string[] =>
  lacksCountingMethod(method, targetOf(endpoint, query, rules).path, body) ? [countingMethodWarning] : [];

function lacksCountingMethod(method: Call["method"], path: string, body: Call["body"]): boolean {
  if (method !== "POST" || !/^\/\w+\/properties\/[^/]+\/keyEvents$/.test(decoded(path))) return false;
  const given = memberOf(membersOf(body), "countingMethod");
  return given === undefined || given === null || given === 0 || given === "COUNTING_METHOD_UNSPECIFIED";
}

/** A resume token belongs to exactly this call. */
function tokenOf({ method, path, query = {}, body = null }: StepRequest): string {
  const text = canonicalJson([method, path, query, body]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

export const analyticsApiCall = step({
  id: "analytics_api_call",
  title: "Analytics API Call",
  summary: "Calls any endpoint of the web analytics Data and Admin APIs.",
  forModels:
    "Use this for what the other web analytics steps do not do: listing properties, key events and data streams, changing or deleting them, pivot and batch reports, compatibility of fields. " +
    "The endpoint has no leading slash and begins with v1beta/. PATCH needs `updateMask` in the query, a new key event should have `countingMethod` in the body. DELETE of a property puts it into the trash, and there is no way back. " +
    "For ordinary reports use run_reports, which reads all rows and explains the figures.",
  words: ["api", "request", "rest", "http", "endpoint", "generic", "raw", "custom", "data stream", "pivot", "batch"],
  system: analytics,
  effect: "delete",
  effectOf: (call) => requestOf(call).effect,
  needsLevel: null,
  input,
  output,
  examples: [
    {
      title: "List the properties of an account",
      input: { method: "GET", endpoint: "v1beta/properties?filter=parent:accounts/100" },
    },
    {
      title: "Run a report",
      input: {
        method: "POST",
        endpoint: "v1beta/properties/1000:runReport",
        body: {
          dateRanges: [{ startDate: "30daysAgo", endDate: "today" }],
          dimensions: [{ name: "country" }],
          metrics: [{ name: "sessions" }],
          orderBys: [{ metric: { metricName: "sessions" }, desc: true }],
          limit: 5,
        },
      },
    },
    {
      title: "Every key event of a property",
      input: { method: "GET", endpoint: "v1beta/properties/1000/keyEvents", all_pages: true },
    },
    {
      title: "Rename a property",
      input: {
        method: "PATCH",
        endpoint: "v1beta/properties/1001",
        query: { updateMask: "displayName" },
        body: { displayName: "Field journal" },
      },
    },
  ],
  options: {
    endpoint: listed(() =>
      knownEndpoints.map(({ method, endpoint, does }) => ({ value: endpoint, label: does, hint: method })),
    ),
  },
  warningsOf,
  *work(call) {
    const request = requestOf(call);
    const paging = wantsAllPages(call) ? pagingOf(request) : null;
    if (!paging) {
      const { status, body } = yield* send(request);
      return { output: { status, body }, warnings: warningsOf(call) };
    }
    const wish = { of: tokenOf(request), maxItems: call.max_items ?? pageCaps.itemsDefault, after: call.after };
    const { items, pages, next, warnings } = yield* allPages(paging, wish);
    return { output: { items, pages, next }, warnings: [...warnings, ...paging.warnings] };
  },
  writtenNames: (call) => writtenNames(requestOf(call)),
  *reconcile(call) {
    return yield* readBack(requestOf(call));
  },
  cost(call) {
    const request = requestOf(call);
    const note = wantsAllPages(call) ? { note: "For each page." } : {};
    return { calls: 1, ...(request.api === "data" ? { tokens: tokensOf(request) } : {}), ...note };
  },
});
