import type { Resource } from "../../define.ts";
import type { PathRules } from "../../paths.ts";
import { type Effect, type Method, methods, type StepRequest } from "../../work.ts";

/** Facts about single endpoints: the envelope says nothing of effects, permissions or paging. */

export const marketingPaths: PathRules = {
  leadingSlash: true,
  prefix: /^\/rest\/./,
  example: "/rest/v1/leads.json",
  reserved: {
    access_token: "the connection signs in by itself.",
    // A method hidden in the query would bypass the connection's policy and the known effects.
    _method: "write the method itself; long queries are sent as the system wants them.",
  },
};

/**
 * The system takes `_method` in the query or the form of a POST for the method. Callers cannot set it; reads whose
 * query is too long for an address use it to declare GET. A request that declares GET but is not a read is treated as
 * the POST that it is.
 */
export function effectiveMethod({ method, effect, query, body, form }: StepRequest): Method {
  if (method !== "POST") return method;
  const said = String(query?._method ?? (form && isRecord(body) ? body._method : undefined) ?? method).toUpperCase();
  if (said === "GET") return effect === "read" ? "GET" : method;
  return methods.find((each) => each === said) ?? method;
}

interface Endpoint {
  method: Method;
  path: RegExp;
  effect: Effect;
  idempotent: boolean;
}

const updates = (path: RegExp, idempotent: boolean): Endpoint => ({
  method: "POST",
  path,
  effect: "update",
  idempotent,
});

const deletes = (path: RegExp, idempotent: boolean): Endpoint => ({
  method: "POST",
  path,
  effect: "delete",
  idempotent,
});

/** Assets that have a draft and an approved version, and those that have none. */
export const draftedAssets = [
  "email",
  "emailTemplate",
  "form",
  "landingPage",
  "landingPageTemplate",
  "snippet",
] as const;
export const undraftedAssets = ["program", "smartCampaign", "smartList", "staticList"] as const;

const anAsset = (kinds: readonly string[], verbs: string): RegExp =>
  new RegExp(`^/rest/asset/v1/(?:${kinds.join("|")})/\\d+/(?:${verbs})\\.json$`);

/**
 * Writes that differ from their method. Trigger and schedule have no idempotency key: sent twice, people may get the
 * e-mail twice.
 */
const endpoints: readonly Endpoint[] = [
  {
    method: "POST",
    path: /^\/rest\/v1\/campaigns\/[^/]+\/(trigger|schedule)\.json$/,
    effect: "send",
    idempotent: false,
  },
  { method: "POST", path: /^\/rest\/asset\/v1\/email\/[^/]+\/sendSample\.json$/, effect: "send", idempotent: false },
  // By ids, which the system never uses again.
  deletes(/^\/rest\/v1\/leads\/delete\.json$/, true),
  deletes(/^\/rest\/v1\/programs\/[^/]+\/members\/delete\.json$/, true),
  deletes(anAsset([...draftedAssets, ...undraftedAssets, "folder"], "delete"), true),
  // Tokens, activity types, companies, opportunities, custom objects: by names or keys, which others use again. A policy
  // against deleting means all of them.
  deletes(/^\/rest\/(?:asset\/)?v1\/.+\/delete\.json$/, false),
  updates(/^\/rest\/v1\/programs\/[^/]+\/members(?:\/status)?\.json$/, true),
  updates(/^\/rest\/v1\/leads\/programs\/[^/]+\/status\.json$/, true),
  updates(/^\/rest\/v1\/lists?\/[^/]+\/leads\.json$/, true),
  updates(anAsset(draftedAssets, "approveDraft|unapprove|discardDraft"), true),
  updates(/^\/rest\/v1\/leads\/(push|submitForm|partitions)\.json$/, false),
  updates(/^\/rest\/v1\/leads\/[^/]+\/(merge|associate)\.json$/, false),
  updates(/^\/rest\/asset\/v1\/[^/]+\/[^/]+(\/.+)?\.json$/, false),
];

type Known = Pick<StepRequest, "effect" | "idempotent">;

export function effectOf(method: Method, path: string, body: unknown): Known {
  if (method === "GET") return { effect: "read", idempotent: true };
  if (method === "DELETE")
    return { effect: "delete", idempotent: /^\/rest\/v1\/(lists?\/[^/]+\/)?leads\.json$/.test(path) };
  if (path === "/rest/v1/leads.json") return effectOfSync(body);
  const found = endpoints.find((endpoint) => endpoint.method === method && endpoint.path.test(path));
  return { effect: found?.effect ?? "create", idempotent: found?.idempotent ?? false };
}

/**
 * Lead sync finds its leads by a key, so repeating an update changes nothing more. "Two upserts of the same key in flight
 * can create duplicates": a call that may create leads is not repeated while the first may be at work. It is reconciled
 * instead.
 */
function effectOfSync(body: unknown): Known {
  const action = isRecord(body) ? (body.action ?? "createOrUpdate") : "createOrUpdate";
  const isUpdate = action === "createOrUpdate" || action === "updateOnly";
  return { effect: isUpdate ? "update" : "create", idempotent: action === "updateOnly" };
}

export type PagingKind = "token" | "activities" | "assets";

export function pagingKindOf(path: string): PagingKind {
  if (path.startsWith("/rest/asset/")) return "assets";
  return /^\/rest\/v1\/activities(\.json|\/(?!types\.json))/.test(path) ? "activities" : "token";
}

const permissions: readonly [RegExp, reads: string, writes: string][] = [
  [/^\/rest\/v1\/(leads?|lists?|programs)\b/, "Read-Only Lead", "Read-Write Lead"],
  [/^\/rest\/v1\/activities\b/, "Read-Only Activity", "Read-Write Activity"],
  [/^\/rest\/v1\/campaigns\b/, "Read-Only Campaigns", "Execute Campaign"],
  [/^\/rest\/asset\/v1\/.+\/(approveDraft|unapprove)\.json$/, "Read-Only Assets", "Approve Assets"],
  [/^\/rest\/asset\//, "Read-Only Assets", "Read-Write Assets"],
];

/** The permission that the API user's role needs, as the admin page names it. */
export function permissionFor({ path, effect }: Pick<StepRequest, "path" | "effect">): string | null {
  const found = permissions.find(([shape]) => shape.test(path));
  return found ? found[effect === "read" ? 1 : 2] : null;
}

const unpublished: readonly [RegExp, instead: string][] = [
  [
    /^\/rest\/v1\/activities\/emailbounced\.json$/,
    "Read bounces with `GET /rest/v1/activities.json` and `activityTypeIds=8,27`",
  ],
  [
    /^\/rest\/v1\/activities\/emailopened\.json$/,
    "Read opens with `GET /rest/v1/activities.json` and `activityTypeIds=10`",
  ],
  [
    /^\/rest\/asset\/v1\/program\/[^/]+\/stats\.json$/,
    "Count with `GET /rest/v1/activities.json`, one of the `activityTypeIds` 6, 7, 8, 27, 9, 10, 11 a call and the e-mail in `assetIds`, or read `GET /rest/v1/programs/{id}/members.json`",
  ],
  [
    /^\/rest\/asset\/v1\/landingPage\/[^/]+\/stats\.json$/,
    "Count visits with `GET /rest/v1/activities.json` and `activityTypeIds=1`, form fills with `activityTypeIds=2`",
  ],
];

/** Four paths that some instances serve and the vendor does not publish: how to get their figures otherwise. */
export function insteadOfUnpublished(path: string): string | null {
  const found = unpublished.find(([shape]) => shape.test(path));
  return found
    ? `${found[1]}; the first \`nextPageToken\` comes from \`GET /rest/v1/activities/pagingtoken.json\`.`
    : null;
}

/** What works here may not work elsewhere: said before such a call is sent, and again when it has succeeded. */
export function warnUnpublished(path: string): string[] {
  const instead = insteadOfUnpublished(path);
  if (instead === null) return [];
  return [
    `The vendor does not publish this path: the sandbox serves it, and other instances may return 404. ${instead}`,
  ];
}

const named: readonly [RegExp, Resource["kind"]][] = [
  [/^\/rest\/v1\/lists?\/([^/]+?)(\.json|\/.*)$/, "list"],
  [/^\/rest\/asset\/v1\/staticList\/([^/]+?)(\.json|\/.*)$/, "list"],
  [/^\/rest\/v1\/campaigns\/([^/]+?)(\.json|\/.*)$/, "campaign"],
  [/^\/rest\/asset\/v1\/smartCampaign\/([^/]+?)(\.json|\/.*)$/, "campaign"],
];
const inQuery: readonly [RegExp, string, Resource["kind"]][] = [
  [/^\/rest\/v1\/lists\.json$/, "id", "list"],
  [/^\/rest\/v1\/activities/, "listId", "list"],
  [/^\/rest\/v1\/campaigns\.json$/, "id", "campaign"],
];
const aboutNothing =
  /^\/rest\/v1\/(stats\/.+|activities\/(types|pagingtoken)\.json|leads\/(describe2?|partitions)\.json)$/;

/** Lists and campaigns that a request names; null if it could reach any of them. */
export function resourcesOf({ path, query = {} }: StepRequest): Resource[] | null {
  if (aboutNothing.test(path)) return [];
  for (const [shape, kind] of named) {
    const id = shape.exec(path)?.[1];
    if (id !== undefined) return toResources(kind, [id]);
  }
  for (const [shape, name, kind] of inQuery) {
    const value = query[name];
    if (shape.test(path) && value !== undefined) return toResources(kind, [value].flat().join(",").split(","));
  }
  return null;
}

/** `007` and `7` are one list; other text (`byName`) could be any. */
function toResources(kind: Resource["kind"], ids: readonly string[]): Resource[] | null {
  const clean = ids.map((id) => id.trim());
  if (!clean.every((id) => /^\d+$/.test(id))) return null;
  return clean.map((id) => ({ kind, id: id.replace(/^0+(?=\d)/, "") }));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
