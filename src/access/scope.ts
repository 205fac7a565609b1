import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { AuditEntry } from "./audit/audit-entry.ts";
import type { Role } from "./permissions.ts";

export type OrganizationRole = "owner" | "member";

/** The account behind an API key or a session, as read for this request. */
export interface Person {
  kind: "person";
  userId: string;
  email: string;
  organizationId: string;
  organizationRole: OrganizationRole;
  /** The id of the API key or session. */
  keyId: string;
  by: "key" | "session";
  /** When the person last confirmed their identity; null for a key, which proves nothing about who holds it now. */
  confirmedAt: string | null;
  /** The session may only set up the second factor that the organization requires. */
  enrolling?: true;
  /** Restrictions of the key itself. */
  keyProjectIds: string[] | null;
  keyMaxRole: Role | null;
}

/** A restricted key has only some of its owner's rights, and none that concern the whole organization. */
export const isRestricted = ({ keyProjectIds, keyMaxRole }: Pick<Person, "keyProjectIds" | "keyMaxRole">): boolean =>
  keyProjectIds !== null || keyMaxRole !== null;

/** The person who runs commands on the machine itself. */
export interface Operator {
  kind: "operator";
}

/** An organization's identity provider, through its SCIM token. */
export interface Directory {
  kind: "directory";
  directoryId: string;
}

/** A caller without credentials: at the sign-in page, or with an invite code. */
export interface Anonymous {
  kind: "nobody";
}

/** The context of a rule: who acts, on which project, when, with which store. */
export interface Scope<Actor = Person> {
  db: Db;
  region: Region;
  now: () => Date;
  actor: Actor;
  /** The project of the call, once the caller's access to it is checked. */
  projectId: string | null;
  requestId: string | null;
  ip: string | null;
  /** The protocol in which the call came, if that is another than our own; or the policy that the server carries out. */
  through?: "mcp" | "retention";
  /** Announces an audit entry to webhooks in the same transaction. `appendAudit` calls it. */
  announce: Announce;
  /** Runs after the commit, and not at all after a rollback. */
  afterCommit(work: () => void): void;
  /** Runs after a rollback, or before the transaction is retried: undoes counts kept outside the store. */
  onRollback(work: () => void): void;
  /** What a rule adds to the audit log of its operation. Absent outside of a change. */
  auditNotes?: AuditNotes;
  /** Sets or clears the session cookie of the response. Absent where there is no browser. */
  setSession?(token: string | null): void;
  /** Marks the responding browser as known for an account; `strongly` if the person proved more than a password. */
  rememberBrowser?(userId: string, strongly: boolean): void;
}

export interface AuditNotes {
  /** The target of the operation's own row, if only its rule knows it. */
  target?: string;
  /** Further details of the operation's own row. */
  details: Record<string, unknown>;
  /** Further rows, before the operation's own. */
  rows: AuditEntry[];
}

export type AnyScope = Scope<Person | Operator | Directory | Anonymous>;

export type Announce = (scope: AnyScope, organizationId: string, entry: AuditEntry) => Promise<void>;

/** For changes without listeners. */
export const announceNothing: Announce = async () => {};

/** The project of an operation that requires one. */
export function projectOf(scope: Scope): string {
  if (scope.projectId === null) throw new Error("This operation runs without a project, and its rule asks for one.");
  return scope.projectId;
}
