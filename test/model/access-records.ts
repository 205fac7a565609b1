/** What the model knows of each record. Only the ids come from the real system. */

export type Action = "role:viewer" | "role:editor" | "admin";
export type Role = "viewer" | "editor" | "admin";

export interface Organization {
  id: string;
  projectCreation: "members" | "owners";
  keysOnReactivation: "stay_off" | "restore";
}

export interface Account {
  id: string;
  email: string;
  organization: Organization;
  isOwner: boolean;
  isActive: boolean;
}

export interface Key {
  id: string;
  secret: string;
  owner: Account;
  isRevoked: boolean;
  isDisabled: boolean;
  createdDay: number;
  /** The first day on which it no longer works. */
  expiresDay: number | null;
  projects: Project[] | null;
  maxRole: Role | null;
  /** Another key replaced it. */
  isReplaced: boolean;
}

export interface Project {
  id: string;
  name: string;
  organization: Organization;
  members: Map<Account, Action[]>;
}

export interface Invite {
  code: string;
  project: Project;
  email: string;
  actions: Action[];
  invitedBy: Account;
  expiresDay: number;
  sentCount: number;
  acceptedBy: Account | null;
}

/** What the status table promises for each refusal that these rules know. */
export const statusOf = {
  key_revoked: 401,
  key_expired: 401,
  owner_deactivated: 401,
  key_restricted: 403,
  admin_required: 403,
  owner_required: 403,
  organization_not_found: 404,
  project_not_found: 404,
  user_not_found: 404,
  invite_not_found: 404,
  key_not_found: 404,
  already_member: 409,
  user_deactivated: 409,
  invite_already_pending: 409,
  invite_already_accepted: 409,
  key_already_revoked: 409,
  last_admin: 409,
  email_taken: 409,
  invite_expired: 410,
  not_available: 501,
} as const;
export type Refusal = keyof typeof statusOf;

export class Refused extends Error {
  readonly code: Refusal;

  constructor(code: Refusal) {
    super(code);
    this.code = code;
  }
}

/** Whether a rule allows what it is asked about. */
export function isAllowed(rule: () => unknown): boolean {
  try {
    rule();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

export function refuseIf(condition: boolean, code: Refusal): void {
  if (condition) throw new Refused(code);
}

export const roles: Role[] = ["viewer", "editor", "admin"];
const actionRoles: Record<Action, Role> = { "role:viewer": "viewer", "role:editor": "editor", admin: "admin" };

/** Several actions add up; the strongest names the role. */
export const roleOf = (actions: Action[]): Role =>
  roles[Math.max(...actions.map((action) => roles.indexOf(actionRoles[action])))] ?? "viewer";
export const weaker = (a: Role, b: Role): Role => (roles.indexOf(a) < roles.indexOf(b) ? a : b);
export const sameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
