import * as z from "zod";
import type { Resource } from "../systems/define.ts";
import { systems } from "../systems/index.ts";
import { methods, type StepRequest } from "../systems/work.ts";

const plainIds = new Map(systems.flatMap(({ policyKinds }) => Object.entries(policyKinds)));
const resourceKinds = [...plainIds.keys()];
const plainId = (kind: string, id: string): string => plainIds.get(kind)?.(id) ?? id;

const idList = z.array(z.string().min(1).max(200)).min(1).max(500);
const resourcesField = z.partialRecord(z.enum(resourceKinds), idList).meta({
  description: 'Ids or names by kind: `{"project": ["prj_…", "web"]}`',
  maxProperties: resourceKinds.length,
});

const ruleField = z.strictObject({
  effect: z.enum(["allow", "deny"]),
  methods: z.array(z.enum(methods)).min(1).max(20).optional().meta({ description: "Any, where left out" }),
  path: z
    .string()
    .min(1)
    .max(500)
    .regex(/^\/[^\s?#\\]*$/, {
      error: "Begin with a slash; `*` stands for any letters of one segment, `**` for any number of segments.",
    })
    .optional()
    .meta({
      description:
        "With a slash first; `*` is one segment or a part of one (`*.json`), `**` any number of segments. Any path, where left out",
    }),
  resources: resourcesField.optional(),
  reason: z.string().max(500).optional().meta({ description: "Shown to the caller that is refused" }),
});

/** What a connection may be used for. A connection without a policy may be used for everything. */
export const policyField = z.strictObject({
  rules: z.array(ruleField).max(200).default([]),
  /** Every request may touch only these, whatever else allows it. */
  only: resourcesField.optional().meta({
    description: "Every request must touch these and nothing else of the same kind",
  }),
  otherwise: z.enum(["allow", "deny"]).optional().meta({
    description:
      "For requests that no rule speaks of. `deny` as soon as there is a rule that allows, `allow` otherwise",
  }),
});
export type Policy = z.output<typeof policyField>;
/** Ids by kind. */
type Resources = Record<string, string[]>;

export interface Verdict {
  allowed: boolean;
  reason: string;
}

const noPolicy: Verdict = { allowed: true, reason: "This connection has no policy." };

/** Whether the policy depends on the resources that a request touches. */
export const needsResources = (policy: Policy | null): boolean =>
  policy !== null && (policy.only !== undefined || policy.rules.some((rule) => rule.resources !== undefined));

/**
 * The method is the one that the system will act by. A rule that denies wins over every rule that allows. If the
 * touched resources are unknown, they are not allowed by any rule, and may be denied.
 */
export function judge(policy: Policy | null, request: StepRequest, touched: Resource[] | null): Verdict {
  if (policy === null) return noPolicy;
  const outside = outsideOf(policy.only, touched);
  if (outside !== null) return { allowed: false, reason: outside };
  const matching = policy.rules.filter((rule) => matchesRule(rule, request, touched));
  const denying = matching.find((rule) => rule.effect === "deny");
  if (denying) return { allowed: false, reason: denying.reason ?? `A rule denies ${request.method} ${request.path}.` };
  if (matching.length > 0) return { allowed: true, reason: "A rule allows it." };
  const otherwise = policy.otherwise ?? (policy.rules.some((rule) => rule.effect === "allow") ? "deny" : "allow");
  if (otherwise === "allow") return { allowed: true, reason: "No rule denies it." };
  return { allowed: false, reason: `No rule allows ${request.method} ${request.path}.` };
}

function outsideOf(only: Policy["only"], touched: Resource[] | null): string | null {
  for (const [kind, ids] of Object.entries((only ?? {}) as Resources)) {
    const named = touched?.filter((resource) => resource.kind === kind) ?? [];
    if (named.length === 0) return `The request does not say which ${kind} it uses, and only some are allowed.`;
    const unlisted = unlistedAmong(named, ids);
    if (unlisted) return `The ${kind} ${unlisted} is not one that this connection may use.`;
  }
  return null;
}

/** A resource has several names: one allowed name is enough. `same` groups the names of one resource. */
function unlistedAmong(named: Resource[], ids: string[]): string | undefined {
  const things = Map.groupBy(named, (resource) => resource.same ?? resource.id);
  const unlisted = [...things.values()].find((names) => !names.some((name) => isAmong(name, ids)));
  return unlisted && [...new Set(unlisted.map(({ id }) => id))].join(", also called ");
}

const isAmong = ({ kind, id }: Resource, ids: readonly string[]): boolean =>
  ids.includes(id) || ids.some((written) => plainId(kind, written) === plainId(kind, id));

function matchesRule(rule: Policy["rules"][number], request: StepRequest, touched: Resource[] | null): boolean {
  if (rule.methods && !rule.methods.includes(request.method)) return false;
  if (rule.path !== undefined && !matchesPath(rule.path, request.path)) return false;
  if (!rule.resources) return true;
  const kinds = Object.entries(rule.resources as Resources);
  if (rule.effect === "allow") return outsideOf(rule.resources, touched) === null;
  if (touched === null) return true;
  return kinds.some(([kind, ids]) => touched.some((each) => each.kind === kind && isAmong(each, ids)));
}

/**
 * Compares segment by segment: no regular expression is built from user input. Tracks every position that the path can
 * have reached, so that many stars cost no more than few.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/").slice(1);
  let reached = skipStars(wanted, [0]);
  for (const segment of path.split("/").slice(1)) {
    const next = reached.flatMap((at) => {
      const word = wanted[at];
      if (word === "**") return [at];
      return word !== undefined && matchesSegment(decoded(word), decoded(segment)) ? [at + 1] : [];
    });
    reached = skipStars(wanted, next);
  }
  return reached.includes(wanted.length);
}

/** `**` also matches no segment at all. */
function skipStars(wanted: readonly string[], positions: readonly number[]): number[] {
  const all = new Set(positions);
  // Iterating a set includes members that are added meanwhile.
  for (const at of all) if (wanted[at] === "**") all.add(at + 1);
  return [...all];
}

/** `*` matches any characters, also within a segment: `*.json`, `*:runReport`. */
function matchesSegment(word: string, segment: string): boolean {
  const [first = "", ...rest] = word.split("*");
  const last = rest.pop();
  if (last === undefined) return word === segment;
  if (segment.length < first.length + last.length) return false;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = segment.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= segment.length - last.length;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A segment that is not encoded is compared as it is.
    return segment;
  }
}
