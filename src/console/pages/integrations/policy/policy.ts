/** A policy as the form holds it, and on the wire. The server checks and judges it; nothing here decides. */

export const methodNames = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
type MethodName = (typeof methodNames)[number];
type Kind = "project" | "property" | "account" | "list" | "campaign";

export interface RuleDraft {
  effect: "allow" | "deny";
  methods: string[];
  path: string;
  /** Empty: any thing. */
  kind: Kind | "";
  ids: string[];
  reason: string;
}

export interface PolicyDraft {
  rules: RuleDraft[];
  only: Partial<Record<Kind, string[]>>;
  otherwise: "" | "allow" | "deny";
}

export interface PolicyWire {
  rules: {
    effect: "allow" | "deny";
    methods?: MethodName[];
    path?: string;
    resources?: Partial<Record<Kind, string[]>>;
    reason?: string;
  }[];
  only?: Partial<Record<Kind, string[]>>;
  otherwise?: "allow" | "deny";
}

/** The things that a policy of each system can be narrowed to. */
export const kindsOf: Record<string, { kind: Kind; title: string }[]> = {
  marketing: [
    { kind: "list", title: "Static list" },
    { kind: "campaign", title: "Campaign" },
  ],
  deployment: [{ kind: "project", title: "Project" }],
  analytics: [
    { kind: "property", title: "Property" },
    { kind: "account", title: "Account" },
  ],
};

export const emptyRule: RuleDraft = { effect: "allow", methods: [], path: "", kind: "", ids: [], reason: "" };

/** The API returns a policy as it was stored, after it was checked. A rule with two kinds of things shows as two rules. */
export function toDraft(stored: unknown): PolicyDraft {
  const policy = (stored ?? { rules: [] }) as PolicyWire;
  const rules = (policy.rules ?? []).flatMap(({ effect, methods = [], path = "", resources, reason = "" }) => {
    const rule = { ...emptyRule, effect, methods: [...methods], path, reason };
    const things = Object.entries(resources ?? {}) as [Kind, string[]][];
    return things.length === 0 ? [rule] : things.map(([kind, ids]) => ({ ...rule, kind, ids }));
  });
  return { rules, only: policy.only ?? {}, otherwise: policy.otherwise ?? "" };
}

/** Null where the policy says nothing. */
export function toWire({ rules, only, otherwise }: PolicyDraft): PolicyWire | null {
  const narrowed = Object.entries(only).filter(([, ids]) => ids.length > 0);
  if (rules.length === 0 && narrowed.length === 0 && otherwise === "") return null;
  return {
    rules: rules.map(({ effect, methods, path, kind, ids, reason }) => ({
      effect,
      ...(methods.length === 0 ? {} : { methods: methods as MethodName[] }),
      ...(path.trim() === "" ? {} : { path: path.trim() }),
      ...(kind === "" || ids.length === 0 ? {} : { resources: { [kind]: ids } }),
      ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
    })),
    ...(narrowed.length === 0 ? {} : { only: Object.fromEntries(narrowed) }),
    ...(otherwise === "" ? {} : { otherwise }),
  };
}

/** Rules that people mostly want. Reports of web analytics are read with POST. */
export const presetsOf = (system: string): { title: string; rules: RuleDraft[] }[] => [
  {
    title: "Only reading",
    rules: [
      { ...emptyRule, methods: ["GET"] },
      ...(system === "analytics"
        ? ["/v1beta/properties/*:run*", "/v1beta/properties/*:batchRun*"].map((path) => ({
            ...emptyRule,
            methods: ["POST"],
            path,
          }))
        : []),
    ],
  },
  {
    title: "No deleting",
    rules: [{ ...emptyRule, effect: "deny", methods: ["DELETE"], reason: "Deleting is done by hand." }],
  },
];
