/** Who may do what: a role on an account holds for every property below it. */
export type Role = "viewer" | "editor" | "administrator";

const ranks: Record<Role, number> = { viewer: 1, editor: 2, administrator: 3 };

export interface Person {
  email: string;
  name: string;
  /** The number that stands for a person in tokens. */
  subject: string;
  /** By `accounts/…` or `properties/…`. */
  roles: Record<string, Role>;
  hidden: ReadonlySet<"REVENUE_DATA" | "COST_DATA">;
  /** The cloud project of its sign-in, if that has not turned on the APIs. */
  projectWithoutApis?: string;
}

export const projectNumber = "482910573316";
const everythingShown: Person["hidden"] = new Set<never>();

const person = (
  login: string,
  name: string,
  roles: Person["roles"],
  hidden: Person["hidden"] = everythingShown,
): Person => ({
  email: `${login}@analytics-sandbox.example`,
  name,
  subject: `1${[...login].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000_007, 7)}`.padEnd(
    21,
    "0",
  ),
  roles,
  hidden,
});

export const people = {
  viewer: person("viewer", "Vera Viewer", { "accounts/100": "viewer" }),
  editor: person("editor", "Edgar Editor", { "accounts/100": "editor" }),
  administrator: person("administrator", "Ada Administrator", { "accounts/100": "administrator" }),
  /** Sees reports with money left out. */
  no_revenue: person(
    "no.revenue",
    "Nora No-Revenue",
    { "accounts/100": "viewer" },
    new Set(["REVENUE_DATA", "COST_DATA"]),
  ),
  /** May do nothing here. */
  outsider: person("outsider", "Otto Outsider", {}),
  service: {
    ...person("service", "Reporting service", { "accounts/100": "editor" }),
    email: "reporting@analytics-sandbox.iam.example",
  },
  /** A service account that nobody has added to a property yet. */
  service_no_role: { ...person("service-no-role", "New service", {}), email: "new@analytics-sandbox.iam.example" },
  /** One of a cloud project in which the APIs are off. */
  service_other_project: {
    ...person("service-other", "Service of another project", { "accounts/100": "editor" }),
    email: "reporting@other-project.iam.example",
    projectWithoutApis: "730055512841",
  },
  service_disabled: {
    ...person("service-disabled", "Disabled service", { "accounts/100": "editor" }),
    email: "disabled@analytics-sandbox.iam.example",
  },
} satisfies Record<string, Person>;

export type PersonKey = keyof typeof people;

/** Those whom the consent page offers to sign in as. */
export const signInChoices: PersonKey[] = ["viewer", "editor", "administrator", "outsider"];

export const isService = (key: PersonKey): boolean => key.startsWith("service");

export const isPersonKey = (key: string): key is PersonKey => Object.hasOwn(people, key);

export function hasRole(who: Person, role: Role, ...resources: string[]): boolean {
  return resources.some((resource) => {
    const own = who.roles[resource];
    return own !== undefined && ranks[own] >= ranks[role];
  });
}
