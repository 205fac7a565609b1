import { presentationOf, systemIds } from "../../../state/systems.ts";

/** A policy, in the form as on the wire. The server checks and judges it; nothing here decides. */

export const methodNames = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
type MethodName = (typeof methodNames)[number];

/** Ids by kind of thing. */
type Things = Partial<Record<string, string[]>>;

export interface Rule {
  effect: "allow" | "deny";
  methods?: MethodName[];
  path?: string;
  /** A rule that allows needs one of every kind that it names; a rule that denies needs one of any kind. */
  resources?: Things;
  reason?: string;
}

export interface Policy {
  rules: Rule[];
  only?: Things;
  otherwise?: "allow" | "deny";
}

interface KindOfThing {
  kind: string;
  title: string;
}

/** The things that a policy of the system can be narrowed to. */
const kindsOf = (system: string): readonly KindOfThing[] => presentationOf(system)?.policy.kinds ?? [];

/** The kinds of the system, and those that a policy names besides: nothing that is stored is hidden. */
export function kindsFor(system: string, things: Things | undefined): KindOfThing[] {
  const own = kindsOf(system);
  const named = Object.keys(things ?? {});
  const others = systemIds.flatMap(kindsOf);
  return [...own, ...others.filter(({ kind }) => named.includes(kind) && !own.some((each) => each.kind === kind))];
}

export const emptyRule: Rule = { effect: "allow" };

/** The API returns a policy as it was stored, after it was checked. The form edits it as it is, and adds nothing by itself. */
export const policyOf = (stored: unknown): Policy | null => stored as Policy | null;

/** A rule with one member changed. An empty value leaves the member out: any method, any path, any thing. */
export function withMember<K extends Exclude<keyof Rule, "effect">>(rule: Rule, name: K, value: Rule[K]): Rule {
  const changed = { ...rule, [name]: value };
  if (isEmpty(value)) delete changed[name];
  return changed;
}

/** Things with the ids of one kind replaced. The other kinds stay. */
export function withThings(things: Things | undefined, kind: string, ids: string[]): Things {
  const { [kind]: _, ...rest } = things ?? {};
  return isEmpty(ids) ? rest : { ...things, [kind]: ids };
}

/** Null takes the rule away. */
export const withRule = (policy: Policy | null, index: number, rule: Rule | null): Policy | null =>
  settled(policy, { rules: (policy?.rules ?? []).flatMap((each, at) => (at !== index ? [each] : rule ? [rule] : [])) });

export const withRules = (policy: Policy | null, added: Rule[]): Policy | null =>
  settled(policy, { rules: [...(policy?.rules ?? []), ...added] });

export const withOnly = (policy: Policy | null, kind: string, ids: string[]): Policy | null =>
  settled(policy, { only: withThings(policy?.only, kind, ids) });

export const withOtherwise = (policy: Policy | null, otherwise: "allow" | "deny" | null): Policy | null =>
  settled(policy, { otherwise });

/** A policy that says nothing is none. */
function settled(
  policy: Policy | null,
  changed: Partial<Omit<Policy, "otherwise">> & { otherwise?: Policy["otherwise"] | null },
): Policy | null {
  const { rules, only, otherwise } = { rules: [], ...policy, ...changed };
  if (rules.length === 0 && isEmpty(only) && !otherwise) return null;
  return { rules, ...(isEmpty(only) ? {} : { only: only as Things }), ...(otherwise ? { otherwise } : {}) };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Rules that people mostly want. */
export const presetsOf = (system: string): { title: string; rules: Rule[] }[] => [
  {
    title: "Only reading",
    rules: [
      { ...emptyRule, methods: ["GET"] },
      ...(presentationOf(system)?.policy.readingPosts ?? []).map(
        (path): Rule => ({ ...emptyRule, methods: ["POST"], path }),
      ),
    ],
  },
  {
    title: "No deleting",
    rules: [{ ...emptyRule, effect: "deny", methods: ["DELETE"], reason: "Deleting is done by hand." }],
  },
];
